import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { DraftNews, SharedDraft } from '../view/draft-news.ts';
import { hearDraft, swapDraft } from '../view/draft-news.ts';
import { readStored, storedKeys, writeStored } from './stored.ts';
import { thisTab } from './tab.ts';

// What was written but not sent, per branch. Survives a reload. Tabs that show the same words share one entry; a tab
// whose words differ from another's has an entry of its own, so that neither overwrites the other.
const keyOf = (project: string, branch: string): string => `bough.draft.${project}.${branch}`;
const ownKeyOf = (project: string, branch: string, tab: string = thisTab): string => `${keyOf(project, branch)}.${tab}`;

export function readDraft(project: string, branch: string): string {
  return readStored(ownKeyOf(project, branch)) ?? readStored(keyOf(project, branch)) ?? '';
}

export function writeDraft(project: string, branch: string, text: string, isApart = false): void {
  const kept = text === '' ? null : text;
  if (isApart) writeStored(ownKeyOf(project, branch), kept);
  else {
    writeStored(keyOf(project, branch), kept);
    writeStored(ownKeyOf(project, branch), null);
  }
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

/** The draft as it is being written, for panels next to the composer. */
export function useDraft(project: string, branch: string): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => readDraft(project, branch),
  );
}

/** The draft as this browser remembers it, and what another tab left, whether that tab is still open or not. */
function rememberedDraft(project: string, branch: string, text: string): SharedDraft {
  const isApart = readStored(ownKeyOf(project, branch)) !== null;
  const key = keyOf(project, branch);
  const others = storedKeys(key).flatMap((each) => {
    const tab = each === key ? SHARED : each.slice(key.length + 1);
    const left = readStored(each);
    return tab === thisTab || left === null || left === text ? [] : [{ tab, text: left }];
  });
  return { text, other: others[0] ?? null, isApart };
}

/** Stands for the entry that tabs with the same words share. */
const SHARED = '';

/**
 * Tells the other tabs what this one's draft has become, and hears of theirs. `onFollow` is called with the words to
 * show when this tab follows another. Returns what another tab has instead, and what can be done about it.
 */
export function useDraftOfTabs(
  project: string,
  branch: string,
  text: string,
  onFollow: (text: string) => void,
): { readonly other: SharedDraft['other']; readonly swap: () => void; readonly dismiss: () => void } {
  const [{ other, isApart }, setShared] = useState(() => rememberedDraft(project, branch, text));
  const channel = useRef<BroadcastChannel | null>(null);
  const draft = useRef<SharedDraft>({ text, other, isApart });
  const follow = useRef(onFollow);
  follow.current = onFollow;
  // Words that came from another tab and that this one is about to show. A tab that is slow to show them has heard of
  // newer ones by then: told as its own, they would undo what is being written there.
  const coming = useRef<readonly string[]>([]);

  const become = useCallback((next: SharedDraft) => {
    const before = draft.current;
    draft.current = next;
    setShared(next);
    if (next.text === before.text) return;
    coming.current = [...coming.current, next.text];
    follow.current(next.text);
  }, []);

  useEffect(() => {
    if (typeof BroadcastChannel === 'undefined') return undefined;
    const opened = new BroadcastChannel(keyOf(project, branch));
    channel.current = opened;
    opened.onmessage = ({ data }: MessageEvent<DraftNews>) => become(hearDraft(draft.current, data));
    return () => {
      channel.current = null;
      opened.close();
    };
  }, [project, branch, become]);

  useEffect(() => {
    const { text: from } = draft.current;
    const place = coming.current.indexOf(text);
    coming.current = from === text ? [] : coming.current.slice(place + 1);
    if (from !== text && place === -1) {
      coming.current = [];
      draft.current = { ...draft.current, text };
      channel.current?.postMessage({ tab: thisTab, from, text } satisfies DraftNews);
    }
    writeDraft(project, branch, text, isApart);
  }, [project, branch, text, isApart]);

  return {
    other,
    swap: () => {
      const from = draft.current.text;
      const next = swapDraft(draft.current);
      become(next);
      channel.current?.postMessage({ tab: thisTab, from, text: next.text } satisfies DraftNews);
    },
    dismiss: () => {
      if (other !== null && other.tab !== SHARED) writeStored(ownKeyOf(project, branch, other.tab), null);
      become({ ...draft.current, other: null });
    },
  };
}
