import { nodeId } from '@bough/core';
import type { Tool } from '../tool.ts';
import { calculator } from './calculator.ts';

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
const EXCERPT = 240;

const searchProject: Tool = {
  source: 'built-in',
  definition: {
    name: 'search_project',
    description: 'Searches the messages of this project, on all branches, for a text. Gives node ids for read_node.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1 } },
      required: ['text'],
      additionalProperties: false,
    },
  },
  run: async ({ text }, { store, projectId }) => {
    const hits = await store.search(projectId, String(text), MAX_HITS);
    if (hits.length === 0) return 'Nothing was found.';
    return hits.map((node) => `[${node.id}] ${node.role}: ${excerpt(node.content, String(text))}`).join('\n');
  },
};

function excerpt(content: string, text: string): string {
  const at = Math.max(0, content.toLowerCase().indexOf(text.toLowerCase()) - EXCERPT / 4);
  const part = content.slice(at, at + EXCERPT).replace(/\s+/g, ' ');
  return `${at > 0 ? '…' : ''}${part}${at + EXCERPT < content.length ? '…' : ''}`;
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

export const BUILT_IN_TOOLS: readonly Tool[] = [currentTime, calculator, searchProject, readNode];
