import type { BranchView, CreateBranchInput } from '@bough/api/client';

/** What a new branch can be given, as it is being chosen. */
export interface EnvelopeForm {
  readonly provider: string;
  readonly model: string;
  readonly thinking: BranchView['thinking'];
  readonly systemPrompt: string;
  /** From where another system prompt counts; absent until somebody chooses. */
  readonly instructionsFrom?: CreateBranchInput['instructionsFrom'];
  readonly tools: readonly string[];
}

export type EnvelopeChange = Pick<
  CreateBranchInput,
  'provider' | 'model' | 'thinking' | 'systemPrompt' | 'instructionsFrom' | 'tools'
>;

type Envelope = Pick<BranchView, 'provider' | 'model' | 'thinking' | 'systemPrompt' | 'tools'>;

export function formOf({ provider, model, thinking, systemPrompt, tools }: Envelope): EnvelopeForm {
  return { provider, model, thinking, systemPrompt: systemPrompt ?? '', tools };
}

/** Only what differs from the source: everything else stays inherited, even if the source's own defaults change. */
export function changesOf(form: EnvelopeForm, source: Envelope): EnvelopeChange {
  const before = formOf(source);
  const movesModel = form.provider !== before.provider || form.model.trim() !== before.model;
  return {
    ...(movesModel ? { provider: form.provider, model: form.model.trim() } : {}),
    ...(sameThinking(form.thinking, before.thinking) ? {} : { thinking: form.thinking }),
    ...(form.systemPrompt === before.systemPrompt
      ? {}
      : {
          systemPrompt: form.systemPrompt.trim() === '' ? null : form.systemPrompt,
          ...(form.instructionsFrom === undefined ? {} : { instructionsFrom: form.instructionsFrom }),
        }),
    ...(sameSet(form.tools, before.tools) ? {} : { tools: [...form.tools] }),
  };
}

/** Whether a change can alter what the model is sent of the history; thinking alone never does. */
export function altersContext({ provider, systemPrompt, tools }: EnvelopeChange): boolean {
  return provider !== undefined || systemPrompt !== undefined || tools !== undefined;
}

function sameThinking(a: EnvelopeForm['thinking'], b: EnvelopeForm['thinking']): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return a.budgetTokens === b.budgetTokens;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each) => b.includes(each));
}
