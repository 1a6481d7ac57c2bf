import type { Tool, ToolAnswer, ToolCall, ToolContext, ToolOutcome } from './tool.ts';
import type { CheckArguments } from './arguments.ts';

export interface ToolLimits {
  readonly timeoutMs: number;
  /** Longer results are cut, and say so: a tool must not fill the model's context window. */
  readonly resultCharacters: number;
}

export const DEFAULT_TOOL_LIMITS: ToolLimits = { timeoutMs: 60_000, resultCharacters: 100_000 };

/**
 * Runs one call. Never throws: wrong arguments, a failure, a timeout and an interruption become results that say so.
 */
export async function runTool(
  tool: Tool | undefined,
  call: ToolCall,
  context: ToolContext,
  check: CheckArguments,
  limits: ToolLimits,
): Promise<ToolOutcome> {
  const started = context.now().getTime();
  const outcome = (content: string, isError: boolean, more: Partial<ToolAnswer> = {}): ToolOutcome => {
    const { files = [], canvas } = more;
    return {
      callId: call.id,
      content: content === '' && files.length > 0 ? '' : cut(content, limits.resultCharacters),
      ...(files.length > 0 && { files }),
      ...(canvas !== undefined && { canvas }),
      isError,
      durationMs: context.now().getTime() - started,
    };
  };
  if (tool === undefined) return outcome(`There is no tool "${call.name}".`, true);
  const problem = check(tool.definition, call.parameters);
  if (problem !== null) return outcome(`The arguments do not fit the tool's schema: ${problem}`, true);

  const timeUp = AbortSignal.timeout(limits.timeoutMs);
  const signal = AbortSignal.any([context.signal, timeUp]);
  try {
    const answer = await untilAborted(tool.run(call.parameters, { ...context, signal }), signal);
    return typeof answer === 'string' ? outcome(answer, false) : outcome(answer.text, false, answer);
  } catch (error) {
    if (context.signal.aborted) return outcome('The user stopped this turn before the tool had finished.', true);
    if (timeUp.aborted) return outcome(`The tool did not finish within ${limits.timeoutMs / 1000} seconds.`, true);
    return outcome(error instanceof Error ? error.message : 'The tool failed.', true);
  }
}

/** A tool that ignores its signal is abandoned; its late failure is ignored. */
async function untilAborted<Answer>(work: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  work.catch(() => undefined);
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('aborted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

function cut(content: string, characters: number): string {
  if (content.length <= characters) return content === '' ? '(no output)' : content;
  return `${content.slice(0, characters)}\n[The result was cut: it has ${content.length} characters.]`;
}
