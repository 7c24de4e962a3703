/** Reloads the page when the preview has another version of it, even after the preview was restarted. */
let shown: string | undefined;
new EventSource('events').addEventListener('message', ({ data }: MessageEvent<string>) => {
  shown ??= data;
  if (data !== shown) location.reload();
});
