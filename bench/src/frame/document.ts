import { type Figure, type Result, short } from './contest.ts';

const BEGIN = '<!-- figures: written by npm run bench -->';
const END = '<!-- end of figures -->';
const HEAD = ['work', 'size', 'Bough', '× floor', 'peers, × floor', 'goal'] as const;

/** The document with the figures of these results filled in: written by hand, they would be those of an older run. */
export function withFigures(document: string, results: readonly Result[]): string {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The document has no place for figures: ${BEGIN} … ${END}`);
  return `${document.slice(0, from)}${BEGIN}\n${figures(results)}\n${document.slice(to)}`;
}

function figures(results: readonly Result[]): string {
  const lines = results.map((result, at) => row(result, result.work !== results[at - 1]?.work));
  return [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function row({ work, size, unit, figures: all, verdicts }: Result, first: boolean): readonly string[] {
  const bough = all.find(({ role }) => role === 'bough');
  const peers = all.filter(({ role }) => role === 'peer');
  return [
    first ? `**${work}**` : '',
    size,
    bough === undefined ? '' : `${short(bough.median)} ${unit}`,
    bough === undefined ? '' : times(bough),
    peers.map((peer) => `${peer.contestant} ${times(peer) || `${short(peer.median)} ${unit}`}`).join(', '),
    verdicts.map(({ goal, met }) => `${met ? 'met' : '**missed**'}: ${goal}`).join('; '),
  ];
}

function times({ timesFloor }: Figure): string {
  return timesFloor === undefined ? '' : short(timesFloor.median);
}
