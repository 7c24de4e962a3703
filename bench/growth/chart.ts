/** Curves on two logarithmic axes, as a picture for light and dark backgrounds. */

export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** A faint line without marks, in the colour of the preceding series. */
  readonly faint?: true;
}

export interface Panel {
  readonly title: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly series: readonly Series[];
}

const panelWidth = 560;
const plot = { left: 64, top: 96, width: 470, height: 300 } as const;
const legendLine = 20;
const colours = ['0969da', 'bc4c00', '1a7f37', '8250df', 'cf222e', '9a6700', '57606a'];
const darkColours = ['4493f8', 'f0883e', '3fb950', 'ab7df8', 'f85149', 'd29922', '9198a1'];

const style = [
  'text { font: 12px system-ui, sans-serif; fill: #24292f; } .title { font-size: 17px; font-weight: 600; }',
  '.panel { font-size: 13px; font-weight: 600; } .muted { fill: #57606a; } .grid { stroke: #d0d7de; }',
  '.background { fill: #ffffff; } polyline { fill: none; stroke-width: 2; } .faint { stroke-width: 1; stroke-dasharray: 3 3; }',
  ...colours.map((colour, index) => `.line${index} { stroke: #${colour}; } .mark${index} { fill: #${colour}; }`),
  '@media (prefers-color-scheme: dark) {',
  'text { fill: #e6edf3; } .muted { fill: #9198a1; } .grid { stroke: #30363d; } .background { fill: #0d1117; }',
  ...darkColours.map((colour, index) => `.line${index} { stroke: #${colour}; } .mark${index} { fill: #${colour}; }`),
  '}',
].join('\n');

/** Draws panels next to each other as SVG. */
export function drawCurves(title: string, subtitle: string, panels: readonly Panel[]): string {
  const legends = Math.max(...panels.map(({ series }) => series.filter(({ faint }) => !faint).length));
  const width = panels.length * panelWidth + 24;
  const height = plot.top + plot.height + 52 + Math.ceil(legends / 2) * legendLine + 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${style}</style>`,
    `<rect class="background" width="${width}" height="${height}"/>`,
    text(24, 32, 'title', title),
    text(24, 54, 'muted', subtitle),
    ...panels.map((panel, index) => `<g transform="translate(${index * panelWidth} 0)">${drawPanel(panel)}</g>`),
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ title, xTitle, yTitle, series }: Panel): string {
  const points = series.flatMap((each) => each.points);
  const x = logScale(
    points.map((point) => point.x),
    plot.left,
    plot.left + plot.width,
    false,
  );
  const y = logScale(
    points.map((point) => point.y),
    plot.top + plot.height,
    plot.top,
    true,
  );
  const bottom = plot.top + plot.height;
  const right = plot.left + plot.width;
  const grid = [
    ...x.ticks.map((tick) => {
      const at = x.place(tick).toFixed(1);
      return `<line class="grid" x1="${at}" x2="${at}" y1="${plot.top}" y2="${bottom}"/>${text(Number(at), bottom + 18, 'muted', short(tick), 'middle')}`;
    }),
    ...y.ticks.map((tick) => {
      const at = y.place(tick).toFixed(1);
      return `<line class="grid" x1="${plot.left}" x2="${right}" y1="${at}" y2="${at}"/>${text(plot.left - 8, Number(at) + 4, 'muted', short(tick), 'end')}`;
    }),
  ];
  let colour = -1;
  const drawn = series.map(({ name, faint, points: own }) => {
    if (!faint) colour += 1;
    const places = own.map((point) => [x.place(point.x).toFixed(1), y.place(point.y).toFixed(1)] as const);
    const line = `<polyline class="line${colour}${faint ? ' faint' : ''}" points="${places.map((place) => place.join(',')).join(' ')}"/>`;
    if (faint) return line;
    const marks = places.map(([cx, cy]) => `<circle class="mark${colour}" cx="${cx}" cy="${cy}" r="3"/>`).join('');
    const legendX = plot.left + (colour % 2) * 240;
    const legendY = bottom + 58 + Math.floor(colour / 2) * legendLine;
    const legend = `<circle class="mark${colour}" cx="${legendX}" cy="${legendY - 4}" r="5"/>${text(legendX + 12, legendY, '', name)}`;
    return line + marks + legend;
  });
  return [
    text(plot.left, plot.top - 18, 'panel', title),
    text(right, plot.top - 18, 'muted', yTitle, 'end'),
    text(right, bottom + 36, 'muted', xTitle, 'end'),
    ...grid,
    ...drawn,
  ].join('\n');
}

/** A logarithmic axis with a tick at each power of ten, and ticks in between if there are few. */
function logScale(values: readonly number[], from: number, to: number, round: boolean) {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const low = Math.log10(least) - (round ? 0.08 : 0);
  const high = Math.max(Math.log10(most) + (round ? 0.08 : 0), low + 0.3);
  const steps = high - low > 2.5 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, index) => Math.floor(low) + index);
  const ticks = powers
    .flatMap((power) => steps.map((step) => step * 10 ** power))
    .filter((tick) => Math.log10(tick) >= low - 1e-9 && Math.log10(tick) <= high + 1e-9);
  const place = (value: number) => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  return { ticks, place };
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1000 ? `${value / 1000} k` : String(Number(value.toPrecision(3)));
}

function text(x: number, y: number, className: string, content: string, anchor = 'start'): string {
  return `<text x="${x}" y="${y}" class="${className}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
