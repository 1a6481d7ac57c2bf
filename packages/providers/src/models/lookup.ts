import type { ModelInfo } from './model.ts';

/**
 * A model that no catalogue lists. It works, with limits that every recent model satisfies, and as if its thinking were
 * bound to the prefix: leaving thinking out costs quality, sending it where it is refused costs the turn.
 */
export function unknownModel(id: string, known: Partial<Omit<ModelInfo, 'id' | 'known'>> = {}): ModelInfo {
  return {
    label: id,
    contextWindow: 32_768,
    maxOutputTokens: 4_096,
    reasoning: 'none',
    canThink: false,
    alwaysThinks: false,
    bindsThinkingToPrefix: true,
    canUseTools: true,
    traits: {},
    ...known,
    id,
    known: false,
  };
}

/** A dated snapshot or `-latest` counts as the model that it is a snapshot of. */
const SNAPSHOT = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/**
 * Looks models up in a catalogue: by id, then without a snapshot's date, else through `otherwise`. The answer always
 * carries the requested id, because that is what is sent.
 */
export function modelLookup(
  models: readonly ModelInfo[],
  otherwise: (model: string) => ModelInfo = unknownModel,
): (model: string) => ModelInfo {
  const byId = new Map(models.map((model) => [model.id, model]));
  return (model) => {
    const found = byId.get(model) ?? byId.get(model.replace(SNAPSHOT, ''));
    if (found === undefined) return otherwise(model);
    return found.id === model ? found : { ...found, id: model };
  };
}
