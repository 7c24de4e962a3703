/** Loads the page anew when the preview has another version of it, also after the preview was started again. */
let shown: string | undefined;
new EventSource('events').addEventListener('message', ({ data }: MessageEvent<string>) => {
  shown ??= data;
  if (data !== shown) location.reload();
});
