import type { StreamLine } from '@bough/core';
import type { Terminal } from '../terminal/index.ts';
import { colours } from '../terminal/index.ts';

/** `folded`: one line that says that the model thought, and how much. */
export type ThinkingView = 'full' | 'folded' | 'none';
export const THINKING_VIEWS: readonly ThinkingView[] = ['full', 'folded', 'none'];

export function thinkingView(value: string | undefined): ThinkingView {
  return THINKING_VIEWS.find((view) => view === value) ?? 'folded';
}

export type TurnEnd = Extract<StreamLine, { type: 'done' }>;

/**
 * Writes a turn as it happens: what the model says to the output, what is said about it beside that. Returns its last
 * line, or null where the stream ended without one.
 */
export async function showTurn(
  terminal: Terminal,
  lines: AsyncIterable<StreamLine>,
  view: ThinkingView,
): Promise<TurnEnd | null> {
  const { dim, red, yellow } = colours(terminal);
  let thought = 0;
  let open: 'text' | 'thinking' | null = null;
  const close = (): void => {
    if (open === 'thinking' && view === 'folded') terminal.warn(`${dim(`(thought: ${thought} characters)`)}\n`);
    else if (open !== null) terminal.write('\n');
    open = null;
    thought = 0;
  };
  for await (const line of lines) {
    switch (line.type) {
      case 'thinking':
        if (view === 'none') break;
        if (open !== 'thinking') close();
        open = 'thinking';
        thought += line.content.length;
        if (view === 'full') terminal.write(dim(line.content));
        break;
      case 'text':
        if (open !== 'text' || line.append !== true) close();
        open = 'text';
        terminal.write(line.content);
        break;
      case 'tool_call':
        close();
        terminal.warn(`${dim(`→ ${line.name} ${JSON.stringify(line.parameters)}`)}\n`);
        break;
      case 'tool_result':
        close();
        terminal.warn(`${(line.isError ? red : dim)(`← ${line.content.slice(0, 400)}`)}\n`);
        break;
      case 'approval':
        close();
        if (line.state === 'asked') terminal.warn(`${yellow(`${line.name} waits for your approval`)}\n`);
        break;
      case 'waiting':
        close();
        terminal.warn(
          `${yellow(`Waiting ${Math.ceil(line.milliseconds / 1_000)} s for the provider (${line.code})`)}\n`,
        );
        break;
      case 'notice':
        close();
        terminal.warn(`${yellow(line.message)}\n`);
        break;
      case 'error':
        close();
        terminal.warn(`${red(line.message)}\n`);
        break;
      case 'done':
        close();
        if (line.status === 'interrupted') terminal.warn(`${yellow('Stopped before its end. What came is kept.')}\n`);
        return line;
      case 'turn':
      case 'thinking_signature':
      case 'node':
      case 'block':
      case 'usage':
        break;
    }
  }
  close();
  return null;
}
