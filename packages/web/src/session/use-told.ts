import { useEffect, useState } from 'react';
import { usePreferences } from './preferences.ts';
import { tell } from './refusal-words.ts';

interface Said {
  readonly code: string;
  readonly message: string;
}

/** What the server has to say about something, in the reader's language; nothing until that is loaded. */
export function useTold(said: Said | null): string {
  const { language } = usePreferences();
  const [told, setTold] = useState('');
  const { code = '', message = '' } = said ?? {};
  useEffect(() => {
    let isWanted = true;
    const read = async (): Promise<void> => {
      const text = await tell({ code, message });
      if (isWanted) setTold(text);
    };
    void read();
    return () => {
      isWanted = false;
    };
  }, [code, message, language]);
  return told;
}
