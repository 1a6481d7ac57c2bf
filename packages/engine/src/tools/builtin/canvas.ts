import { appendPassage, replacePassage } from '@bough/core';
import type { CanvasDesk } from '../../canvas/desk.ts';
import type { Tool, ToolAnswer, ToolContext } from '../tool.ts';

const ABOUT = 'The canvas is the Markdown document of this project, which you and the user write together.';

const read: Tool = {
  source: 'built-in',
  asks: true,
  definition: {
    name: 'canvas_read',
    description: `${ABOUT} Reads all of it.`,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  },
  run: async (_, context) => (await deskOf(context).read()) ?? 'The canvas is empty.',
};

const replace: Tool = {
  source: 'built-in',
  asks: true,
  definition: {
    name: 'canvas_replace',
    description: `${ABOUT} Replaces one passage of it by another text; an empty text removes the passage.`,
    inputSchema: {
      type: 'object',
      properties: {
        passage: {
          type: 'string',
          minLength: 1,
          description: 'As it stands in the canvas; it must occur exactly once',
        },
        text: { type: 'string' },
      },
      required: ['passage', 'text'],
      additionalProperties: false,
    },
  },
  run: ({ passage, text }, context) =>
    changed(deskOf(context), 'The passage was replaced.', (before) => {
      const replaced = replacePassage(before, String(passage), String(text));
      if ('text' in replaced) return replaced.text;
      throw new Error(
        replaced.found === 0
          ? 'The canvas does not contain this passage. Read it with canvas_read, and give the passage exactly.'
          : `The canvas contains this passage ${replaced.found} times. Give more of the text around it.`,
      );
    }),
};

const append: Tool = {
  source: 'built-in',
  asks: true,
  definition: {
    name: 'canvas_append',
    description: `${ABOUT} Adds a text at its end, on a new line.`,
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1 } },
      required: ['text'],
      additionalProperties: false,
    },
  },
  run: ({ text }, context) =>
    changed(deskOf(context), 'The text was added.', (before) => appendPassage(before, String(text))),
};

export const CANVAS_TOOLS: readonly Tool[] = [read, replace, append];

function deskOf({ canvas }: ToolContext): CanvasDesk {
  if (canvas === undefined) throw new Error('There is no canvas here.');
  return canvas;
}

async function changed(desk: CanvasDesk, done: string, next: (text: string) => string): Promise<ToolAnswer> {
  const canvas = await desk.change(next);
  return { text: `${done} The canvas has ${canvas.text.length} characters now.`, files: [], canvas };
}
