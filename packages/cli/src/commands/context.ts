import type { ContextView } from '@bough/api';
import { curlOf } from '@bough/api';
import { diffLines, excerpt } from '@bough/core';
import { ATTACH_OPTION, attachedFiles, withFiles } from '../attach/index.ts';
import type { Command } from '../command.ts';
import { CONNECTION_OPTIONS, withConnection } from '../connect/index.ts';
import { branchOf, PROJECT_OPTION, projectOption } from '../connect/names.ts';
import { printJson, table } from '../terminal/index.ts';
import { differenceText } from '../view/difference.ts';
import { keyHeaders } from '../view/key-headers.ts';
import { ENVELOPE_OPTIONS, envelopeOf } from './envelope.ts';
import { shortId } from '../view/short-id.ts';

export const context: Command = {
  name: 'context',
  summary: 'Show the request that the next message would send, and what happens to every node.',
  positionals: [{ name: 'branch' }],
  options: {
    ...PROJECT_OPTION,
    message: { description: 'the next message', value: 'text', short: 'm' },
    ...ATTACH_OPTION,
    curl: { description: 'print a curl command; the key stays a variable' },
    diff: { description: 'print what is new compared with the request before' },
    ...ENVELOPE_OPTIONS,
    ...CONNECTION_OPTIONS,
  },
  examples: [
    'bough context main',
    'bough context main --curl -m "And at night?"',
    'bough context main --provider gemini',
  ],
  run: (input, terminal) =>
    withConnection(input, terminal, 'tools', async ({ client }) => {
      const project = await projectOption(client, input);
      const branch = await branchOf(client, project.id, input.required('branch'));
      const text = input.text('message');
      const files = await attachedFiles(client, terminal, input);
      const view = await client.context(project.id, {
        ref: branch.id,
        ...(text === undefined && files.length === 0 ? {} : { message: withFiles(files, text ?? '') }),
        target: envelopeOf(input),
      });
      if (input.flag('json')) printJson(terminal, view);
      else if (input.flag('curl')) {
        terminal.writeExactly(`${curlOf(view.request, keyHeaders(view))}\n`);
        const places = view.request.body.match(FILE_PLACE)?.length ?? 0;
        if (places > 0) terminal.warn(`${placesNote(places)}\n`);
      } else if (input.flag('diff'))
        terminal.write(
          differenceText(diffLines(prettyBody(view.previousBody ?? ''), prettyBody(view.request.body), 3)),
        );
      else terminal.write(reportText(view));
      return 0;
    }),
};

/** What stands for the bytes of a file in a request that is shown. */
const FILE_PLACE = /<(?:base64|text) of [^>]*, \d+ bytes, sha256 [0-9a-f]{64}>/g;

const placesNote = (count: number): string =>
  `The command does not bring the bytes of ${count === 1 ? 'a file' : `${count} files`}: it names them as ` +
  '<base64 of …> or <text of …>. Put them there before you run it.';

function reportText(view: ContextView): string {
  const rows = view.report.map(({ nodeId, role, fidelity, reasons, estimatedTokens, excerpt: words }) => [
    shortId(nodeId),
    role,
    fidelity,
    String(estimatedTokens),
    reasons.join(', '),
    excerpt(words, 40),
  ]);
  return [
    `${view.request.method} ${view.request.url}`,
    `${view.provider}/${view.model}: about ${view.estimatedTokens} of ${view.contextWindow} tokens, up to ${view.maxTokens} for the reply`,
    estimateText(view.estimate),
    '',
    table(['node', 'role', 'sent', 'tokens', 'why', 'text'], rows),
    ...view.notes.map(({ nodeId, detail }) => `${shortId(nodeId)}: ${detail}`),
    ...view.violations.map(
      ({ rule, message, repaired }) => `${rule}: ${message} (${repaired ? 'repaired' : 'not repaired'})`,
    ),
    prettyBody(view.request.body),
    ...(view.standsFor === null
      ? []
      : ['', 'The provider keeps what came before. The request stands for:', prettyBody(view.standsFor)]),
    '',
  ].join('\n');
}

/** What it costs before it is sent; what the provider's cache has is told apart. */
function estimateText(estimate: ContextView['estimate']): string {
  const { cachedTokens, writtenTokens, freshTokens, inputCost, likeLast, mostCost } = estimate;
  const money = (cost: number | null): string => (cost === null ? 'an unknown price' : `$${Number(cost.toFixed(6))}`);
  const parts = [
    ...(cachedTokens === 0 ? [] : [`${cachedTokens} from the cache`]),
    ...(writtenTokens === 0 ? [] : [`${writtenTokens} written to it`]),
    ...(freshTokens === 0 ? [] : [`${freshTokens} other`]),
  ];
  const last = likeLast === null ? '' : `, ${money(likeLast.cost)} with a reply like the last one`;
  return `input ${parts.join(', ')}: about ${money(inputCost)}${last}, ${money(mostCost)} with the longest`;
}

/** For reading only: what is sent is the original body. */
function prettyBody(body: string): string {
  return body === '' ? '' : JSON.stringify(JSON.parse(body), null, 2);
}
