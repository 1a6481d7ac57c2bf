import type { BranchView } from '@bough/api/client';

export type Choice = NonNullable<BranchView['choices']>[string];
/** By message; null takes a choice back. */
export type ChoiceChanges = Readonly<Record<string, Choice | null>>;

/** What was chosen about any of these messages; null: nothing. A reply is several of them. */
export function choiceOf({ choices = {} }: Pick<BranchView, 'choices'>, nodeIds: readonly string[]): Choice | null {
  const made = nodeIds.flatMap((id) => choices[id] ?? []);
  return made.find((choice) => choice === 'leave_out') ?? made[0] ?? null;
}

/** Whether the model gets nothing of these messages. */
export function isLeftOut({ choices = {} }: Pick<BranchView, 'choices'>, nodeIds: readonly string[]): boolean {
  return nodeIds.length > 0 && nodeIds.every((id) => choices[id] === 'leave_out');
}

export function choosing(nodeIds: readonly string[], choice: Choice | null): ChoiceChanges {
  return Object.fromEntries(nodeIds.map((id) => [id, choice]));
}

/** Only what has a choice can be put back: naming the rest would only make the change larger. */
export function withdrawing({ choices = {} }: Pick<BranchView, 'choices'>, nodeIds: readonly string[]): ChoiceChanges {
  return choosing(
    nodeIds.filter((id) => choices[id] !== undefined),
    null,
  );
}
