import { type Figure, type Result, short } from './contest.ts';

const WIDTH = 860;
const LABEL = 330;
const BAR = 14;
const GAP = 6;
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .work { font-weight: 600 }
  .value { font-size: 11px; fill: #57606a }
  .bough { fill: #2f7d5b } .peer { fill: #b8860b } .floor { fill: #8c959f }
  .line { stroke: #d0d7de }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .value { fill: #9198a1 } .bough { fill: #5fc296 } .peer { fill: #d9a83f } .floor { fill: #6e7681 } .line { stroke: #3d444d }
  }`;

/** Bars of "times the floor" on a logarithmic scale, one group per result that has a floor. */
export function chart(results: readonly Result[]): string {
  const groups = results.filter(({ figures }) => figures.some(({ timesFloor }) => timesFloor !== undefined));
  const largest = Math.max(10, ...groups.flatMap(({ figures }) => figures.map(times)));
  const smallest = Math.min(0.1, ...groups.flatMap(({ figures }) => figures.map(times)));
  const scale = (value: number): number =>
    LABEL + ((WIDTH - LABEL - 70) * Math.log(value / smallest)) / Math.log(largest / smallest);
  const parts: string[] = [];
  let top = 12;
  for (const { work, size, figures } of groups) {
    top += 16;
    parts.push(`<text class="work" x="0" y="${top}">${escape(`${work}, ${size}`)}</text>`);
    top += GAP;
    for (const figure of figures.filter(({ role }) => role !== 'floor')) {
      const [from, to] = [scale(1), scale(times(figure))];
      const x = Math.min(from, to);
      parts.push(
        `<text x="16" y="${top + BAR - 3}">${escape(figure.contestant)}</text>`,
        `<rect class="${figure.role}" x="${round(x)}" y="${top}" width="${round(Math.max(1, Math.abs(to - from)))}" height="${BAR}" rx="2"/>`,
        `<text class="value" x="${round(Math.max(from, to) + 6)}" y="${top + BAR - 3}">${short(times(figure))} ×</text>`,
      );
      top += BAR + GAP;
    }
  }
  const x = round(scale(1));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top + 24}" role="img" aria-label="Cost as a multiple of the floor">
<style>${STYLE}</style>
<line class="line" x1="${x}" y1="8" x2="${x}" y2="${top}"/>
<text class="value" x="${x}" y="${top + 16}" text-anchor="middle">the floor = 1 (logarithmic)</text>
${parts.join('\n')}
</svg>
`;
}

function times(figure: Figure): number {
  return figure.timesFloor?.median ?? 1;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
