/** The requests per second of each server under each workload, as a picture for light and dark backgrounds. */
import { workloadNamed } from './load/workloads.ts';
import type { Result } from './result.ts';
import { benchServers } from './servers.ts';
import type { Summary } from './summary.ts';

const width = 1160;
const columns = 2;
const panelWidth = width / columns;
const margin = 24;
const rowHeight = 20;
const nameWidth = 240;
const figureWidth = 118;
const headHeight = 76;
/** The width of a digit in the widest probable font. */
const digitWidth = 9;
const barWidth = panelWidth - 2 * margin - nameWidth - figureWidth;

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 17px; font-weight: 600; }
  .workload { font-weight: 600; }
  .muted { fill: #57606a; }
  .peer { fill: #afb8c1; }
  .ours { fill: #0969da; }
  .name.ours, .figure.ours { fill: #0550ae; font-weight: 600; }
  .spread { stroke: #24292f; stroke-width: 1.5; }
  .background { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .muted { fill: #9198a1; }
    .peer { fill: #59626d; }
    .ours { fill: #4493f8; }
    .name.ours, .figure.ours { fill: #79c0ff; }
    .spread { stroke: #e6edf3; }
    .background { fill: #0d1117; }
  }`;

/** Draws the chart as SVG: one panel per workload, each with a scale that begins at zero. */
export function chartOf({ machine, summaries }: Result): string {
  const workloads = [...new Set(summaries.map(({ workload }) => workload))];
  const panels = workloads.map((workload) => summaries.filter((summary) => summary.workload === workload));
  const lines = Math.ceil(panels.length / columns);
  const heights = Array.from({ length: lines }, (_, line) =>
    Math.max(...panels.slice(line * columns, (line + 1) * columns).map((panel) => panelHeight(panel.length))),
  );
  const topOf = (line: number) => headHeight + heights.slice(0, line).reduce((sum, each) => sum + each, 0);
  const height = topOf(lines);
  const drawn = panels.map((panel, index) => {
    const x = (index % columns) * panelWidth + margin;
    return `<g transform="translate(${x} ${topOf(Math.floor(index / columns))})">${drawPanel(panel)}</g>`;
  });
  const subtitle =
    `Medians with the lowest and the highest round; 0.50× is half of the limit in the same round. ` +
    `Node.js ${machine.node.slice(1)}, one core of ${machine.processor}, ${machine.measuredAt.slice(0, 10)}.`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Requests a second on one core, by server and workload</title>`,
    `<style>${style}</style>`,
    `<rect class="background" width="${width}" height="${height}"/>`,
    text(margin, 32, 'title', 'Requests a second on one core'),
    text(margin, 54, 'muted', subtitle),
    ...drawn,
    `</svg>\n`,
  ].join('\n');
}

function panelHeight(rows: number): number {
  return 24 + rows * rowHeight + 22;
}

function drawPanel(panel: readonly Summary[]): string {
  const most = Math.max(...panel.map(({ figures }) => figures.requestsPerSecond.max));
  const scale = (value: number) => Math.max(1, (value / most) * barWidth).toFixed(1);
  const title = workloadNamed(panel[0]?.workload ?? '').title;
  const rows = panel.map(({ server, figures, ratios }, index) => {
    const { median, min, max } = figures.requestsPerSecond;
    const kind = server === 'ours' ? 'ours' : 'peer';
    const mark = server === 'ours' ? ' ours' : '';
    const y = 24 + index * rowHeight;
    const name = benchServers.find((each) => each.name === server)?.title ?? server;
    const ofLimit = ratios.limit?.requestsPerSecond.median;
    const right = nameWidth + Number(scale(max)) + 8;
    const figure = rounded(median);
    return [
      text(0, y + 13, `name${mark}`, name),
      `<rect class="${kind}" x="${nameWidth}" y="${y + 2}" width="${scale(median)}" height="14" rx="2"/>`,
      `<line class="spread" x1="${nameWidth + Number(scale(min))}" x2="${nameWidth + Number(scale(max))}" y1="${y + 9}" y2="${y + 9}"/>`,
      text(right, y + 13, `figure${mark}`, figure),
      ofLimit === undefined
        ? ''
        : text(right + figure.length * digitWidth + 8, y + 13, 'muted', `${ofLimit.toFixed(2)}×`),
    ].join('');
  });
  return text(0, 14, 'workload', title) + rows.join('\n');
}

function rounded(value: number): string {
  const digits = value < 100 ? 1 : 0;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function text(x: number, y: number, className: string, content: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x}" y="${y}" class="${className}">${escaped}</text>`;
}
