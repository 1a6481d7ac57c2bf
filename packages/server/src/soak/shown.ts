import type { LineBody, StreamLine } from '@bough/core';

type Line<Type extends LineBody['type']> = Extract<StreamLine, { readonly type: Type }>;

/** A reply as it was on the screen. */
export interface ShownReply {
  readonly nodeId: string;
  text: string;
  thinking: string;
  readonly toolCalls: string[];
  readonly usages: Line<'usage'>['usage'][];
}

/** Everything of a turn that was on the screen. */
export interface Shown {
  readonly replies: readonly ShownReply[];
  readonly results: readonly Line<'tool_result'>[];
  readonly errors: readonly string[];
  readonly done: Line<'done'> | null;
}

export function shownOf(lines: readonly StreamLine[]): Shown {
  const replies: ShownReply[] = [];
  const results: Line<'tool_result'>[] = [];
  const errors: string[] = [];
  let done: Line<'done'> | null = null;
  for (const line of lines) {
    const reply = replies.at(-1);
    switch (line.type) {
      case 'node':
        replies.push({ nodeId: line.nodeId, text: '', thinking: '', toolCalls: [], usages: [] });
        break;
      case 'text':
      case 'thinking':
        if (reply !== undefined) reply[line.type] += line.content;
        break;
      case 'tool_call':
        reply?.toolCalls.push(line.id);
        break;
      case 'usage':
        reply?.usages.push(line.usage);
        break;
      case 'tool_result':
        results.push(line);
        break;
      case 'error':
        errors.push(line.message);
        break;
      case 'done':
        done = line;
        break;
      case 'turn':
      case 'block':
      case 'approval':
      case 'thinking_signature':
      case 'waiting':
      case 'notice':
    }
  }
  return { replies, results, errors, done };
}
