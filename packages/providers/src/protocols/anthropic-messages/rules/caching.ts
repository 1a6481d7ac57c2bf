import { isPlainObject } from '@bough/core';
import type { Body } from '../wire.ts';
import { blocksOf, messagesOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';

interface Mark {
  readonly path: string;
  readonly isLong: boolean;
}

function markOf(value: Body, path: string): readonly Mark[] {
  const control = value['cache_control'];
  return isPlainObject(control) ? [{ path, isLong: control['ttl'] === '1h' }] : [];
}

/** The marks of a request in the order of its prefix: tools, system, messages. */
function marksOf(body: Body): readonly Mark[] {
  const tools: unknown = body['tools'];
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return [
    ...list.flatMap((tool, at) => (isPlainObject(tool) ? markOf(tool, `tools.${at}`) : [])),
    ...blocksOf(body['system'], 'system').flatMap(({ value, path }) => markOf(value, path)),
    ...messagesOf(body).flatMap(({ blocks }) => blocks.flatMap(({ value, path }) => markOf(value, path))),
  ];
}

const MOST_MARKS = 4;

const fewMarks: ClaudeRule = {
  id: 'ANT-CACHE-1',
  title: 'A request has at most four cache marks, the automatic one included.',
  reference: 'https://github.com/griffinmartin/opencode-claude-auth/issues/121',
  kind: 'rejection',
  check: (body) => {
    const marks = marksOf(body).length + (isPlainObject(body['cache_control']) ? 1 : 0);
    const message = `A maximum of ${MOST_MARKS} blocks with cache_control may be provided. Found ${marks}.`;
    return marks > MOST_MARKS ? [finding('cache_control', message)] : [];
  },
};

const longMarksFirst: ClaudeRule = {
  id: 'ANT-CACHE-2',
  title: 'A cache mark of an hour does not stand behind one of five minutes.',
  reference: 'https://github.com/cnighswonger/claude-code-cache-fix/issues/44',
  kind: 'rejection',
  check: (body) => {
    const marks = marksOf(body);
    const short = marks.findIndex(({ isLong }) => !isLong);
    return marks
      .filter(({ isLong }, at) => isLong && short >= 0 && at > short)
      .map(({ path }) =>
        finding(
          `${path}.cache_control.ttl`,
          `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. ` +
            'Note that blocks are processed in the following order: `tools`, `system`, `messages`.',
        ),
      );
  },
};

const automaticMarkAgrees: ClaudeRule = {
  id: 'ANT-CACHE-4',
  title: 'The automatic cache mark does not fall on a block that carries one with another lifetime.',
  reference: DOCS.caching,
  kind: 'rejection',
  check: (body) => {
    const automatic = body['cache_control'];
    const last = messagesOf(body).at(-1)?.blocks.at(-1);
    const own = last?.value['cache_control'];
    if (!isPlainObject(automatic) || last === undefined || !isPlainObject(own)) return [];
    if ((own['ttl'] ?? '5m') === (automatic['ttl'] ?? '5m')) return [];
    const path = `${last.path}.cache_control.ttl`;
    return [finding(path, `${path}: differs from the ttl of the automatic cache_control`)];
  },
};

const deferredToolsAreUnmarked: ClaudeRule = {
  id: 'ANT-CACHE-3',
  title: 'A deferred tool carries no cache mark.',
  reference: DOCS.toolSearch,
  kind: 'rejection',
  check: (body) => {
    const tools: unknown = body['tools'];
    const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
    return list.flatMap((tool, at) =>
      isPlainObject(tool) && tool['defer_loading'] === true && isPlainObject(tool['cache_control'])
        ? [finding(`tools.${at}`, `tools.${at}: a tool with defer_loading=true cannot have cache_control set`)]
        : [],
    );
  },
};

export const cachingRules: readonly ClaudeRule[] = [
  fewMarks,
  longMarksFirst,
  deferredToolsAreUnmarked,
  automaticMarkAgrees,
];
