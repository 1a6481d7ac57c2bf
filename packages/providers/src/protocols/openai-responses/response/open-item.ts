import type { WireItem } from '../wire.ts';
import { typeOf } from '../wire.ts';
import { needsAnswer } from '../items.ts';
import { CallItem } from './call-item.ts';
import { clientCall } from './client-call.ts';
import type { ItemFold, NextIndex } from './item-fold.ts';
import { MessageItem } from './message-item.ts';
import { OtherItem } from './other-item.ts';
import { ReasoningItem } from './reasoning-item.ts';

export function openItem(item: WireItem, nextIndex: NextIndex): ItemFold {
  switch (typeOf(item)) {
    case 'reasoning':
      return new ReasoningItem(nextIndex());
    case 'message':
      return new MessageItem(nextIndex);
    case 'function_call':
      return new CallItem(nextIndex());
    default:
      return needsAnswer(item)
        ? new OtherItem(typeOf(item), nextIndex(), clientCall)
        : new OtherItem(typeOf(item), nextIndex());
  }
}
