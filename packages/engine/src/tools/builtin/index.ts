import { nodeId, parseSearch } from '@bough/core';
import type { SearchMatch } from '@bough/store';
import type { Tool } from '../tool.ts';
import { calculator } from './calculator.ts';
import { CANVAS_TOOLS } from './canvas.ts';

const currentTime: Tool = {
  source: 'built-in',
  definition: {
    name: 'current_time',
    description: 'The current date and time, in UTC and in a time zone of your choice.',
    inputSchema: {
      type: 'object',
      properties: {
        timeZone: { type: 'string', description: 'An IANA time zone such as Europe/Berlin; UTC if absent' },
      },
      additionalProperties: false,
    },
  },
  run: async ({ timeZone }, { now }) => {
    const moment = now();
    const zone = typeof timeZone === 'string' ? timeZone : 'UTC';
    try {
      const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone: zone }).format(
        moment,
      );
      return `${moment.toISOString()} (${local})`;
    } catch (cause) {
      throw new Error(`"${zone}" is not a time zone. Use an IANA name such as Europe/Berlin.`, { cause });
    }
  },
};

const MAX_HITS = 10;

const searchProject: Tool = {
  source: 'built-in',
  definition: {
    name: 'search_project',
    description:
      'Searches the messages of this project, on all branches, with their reasoning, tool calls and files. All words must ' +
      'occur; "in quotes" for an exact phrase, -word to leave out; filters: role:user, model:name, after:2026-01-31, ' +
      'before:2026-02-28, has:file. Gives node ids for read_node.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1, maxLength: 1000 } },
      required: ['text'],
      additionalProperties: false,
    },
  },
  run: async ({ text }, { store, projectId }) => {
    const query = parseSearch(String(text));
    // What people keep beside messages is theirs: neither its words nor that it is there goes to a model.
    if (query.filters.beside !== undefined)
      throw new Error('Only what was said can be searched: leave out is:… and has:, except has:file.');
    const page = await store.search({ query, projects: [projectId], saidOnly: true, limit: MAX_HITS });
    const lines = page.hits.flatMap(({ nodeId: id, role, matches }) =>
      id === null ? [] : [`[${id}] ${role}: ${matches.map(shown).join(' … ')}`],
    );
    if (page.indexing) lines.push('(Older messages are still being indexed: there may be more.)');
    else if (lines.length === 0) return 'Nothing was found.';
    else if (page.cursor !== null) lines.push('(There is more: look for more words.)');
    return lines.join('\n');
  },
};

/** Where it was found, unless that is the message's own text, and the words around it. */
function shown({ where, file, snippet }: SearchMatch): string {
  const label = where === 'text' ? '' : where === 'file' ? `(file ${file ?? ''}) ` : `(${where}) `;
  return label + snippet.map(({ text }) => text).join('');
}

const readNode: Tool = {
  source: 'built-in',
  definition: {
    name: 'read_node',
    description: 'Reads one message of this project by its id, whole.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: 1 } },
      required: ['id'],
      additionalProperties: false,
    },
  },
  run: async ({ id }, { store, projectId }) => {
    // Within the project: an id from another one names nothing here.
    const [node] = await store.getNodes(projectId, [nodeId(String(id))]);
    if (node === undefined) throw new Error(`There is no message "${String(id)}" in this project.`);
    return `${node.role}${node.modelUsed === null ? '' : ` (${node.modelUsed})`}, ${node.createdAt}:\n${node.content}`;
  },
};

export const BUILT_IN_TOOLS: readonly Tool[] = [currentTime, calculator, searchProject, readNode, ...CANVAS_TOOLS];
