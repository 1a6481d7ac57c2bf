import { isPlainObject } from '@bough/core';
import type { Notes } from '../../conversation.ts';
import type { Fields } from '../../fields.ts';
import { idOrNull, listIn, objectIn, objectOf, textOf, textOrNull, timeOrNull } from '../../fields.ts';

/** What is known about a topic besides its messages. */
export interface TopicFacts {
  readonly name: string | null;
  readonly createdAt: string | null;
  readonly pinned: boolean;
  readonly prompt: string | null;
  /** The name of the assistant that it belongs to: topics are listed under theirs. */
  readonly assistant: string | null;
}

/** Names and prompts are in the program's settings, as JSON in JSON. */
export function topicsIn(localStorage: Fields, notes: Notes): ReadonlyMap<string, TopicFacts> {
  const stored = localStorage['persist:cherry-studio'];
  if (stored === undefined || stored === null) return new Map();
  const found = notes.attempt('localStorage, persist:cherry-studio', () => {
    const settings = parsed(stored, 'persist:cherry-studio');
    const held = settings['assistants'] === undefined ? {} : parsed(settings['assistants'], 'assistants');
    const assistants = [...listIn(held, 'assistants'), objectIn(held, 'defaultAssistant')].filter(isPlainObject);
    return assistants.flatMap((assistant) =>
      listIn(assistant, 'topics')
        .filter(isPlainObject)
        .flatMap((topic) => {
          const id = idOrNull(topic['id']);
          return id === null ? [] : [[id, factsOf(topic, assistant)] as const];
        }),
    );
  });
  return new Map((found ?? []).toReversed());
}

function factsOf(topic: Fields, assistant: Fields): TopicFacts {
  const prompts = [assistant['prompt'], topic['prompt']].flatMap((prompt) => textOrNull(prompt) || []);
  return {
    name: idOrNull(topic['name']),
    createdAt: timeOrNull(topic['createdAt']),
    pinned: topic['pinned'] === true,
    prompt: prompts.length === 0 ? null : prompts.join('\n\n'),
    assistant: idOrNull(assistant['name']),
  };
}

function parsed(value: unknown, what: string): Fields {
  return objectOf(isPlainObject(value) ? value : JSON.parse(textOf(value, what)), what);
}
