import type { NodeId } from '@bough/core';
import type { RenderInput } from '../../../protocol.ts';
import { isKnownGone } from '../../../render/gone-containers.ts';
import { parseJson } from '../../../render/json-text.ts';
import type { FinalReply } from '../response/final-items.ts';
import type { WireItem } from '../wire.ts';
import { objectsOf, stringOf, typeOf } from '../wire.ts';
import { assistantMessage } from './message.ts';

/** Code that ran in a container. Once the container is gone, the API refuses every request that holds such an item. */
export const ranInContainer = (item: WireItem): boolean =>
  typeOf(item) === 'code_interpreter_call' && stringOf(item['container_id']) !== undefined;

/** Whether a node names a container, or would if that were not gone. */
export type ContainerState = 'none' | 'named' | 'gone';

/** Of what is known of a node: its reply or, where raw is lost, the items that it was sent as. */
export function containerOf(
  nodeId: NodeId,
  known: FinalReply | { readonly sent: string | undefined } | undefined,
  keys: string,
  input: Pick<RenderInput, 'renderingOf' | 'mayUseContainers'>,
): ContainerState {
  if (known === undefined) return 'none';
  const isLost = 'sent' in known;
  const items = isLost ? objectsOf(parseJson(`[${known.sent ?? ''}]`)) : known.items.map(({ item }) => item);
  const ran = items.some(ranInContainer);
  if ((ran || isLost) && isKnownGone(nodeId, keys, input)) return 'gone';
  if (!ran) return 'none';
  return input.mayUseContainers === false ? 'gone' : 'named';
}

/** The code and what it printed, as the model would tell of it. */
export function codeAsText(item: WireItem): WireItem {
  const logs = objectsOf(item['outputs']).flatMap((output) => stringOf(output['logs']) ?? []);
  const code = `I ran this code:\n\n\`\`\`\n${stringOf(item['code']) ?? ''}\n\`\`\``;
  return assistantMessage([logs.length === 0 ? code : `${code}\n\nIt printed:\n\n\`\`\`\n${logs.join('\n')}\n\`\`\``]);
}

export const CONTAINER_GONE = {
  reason: 'container_expired',
  detail: 'The container that its code ran in has expired: the code and its output are sent as text.',
} as const;
