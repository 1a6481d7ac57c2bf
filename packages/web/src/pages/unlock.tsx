import type { FormEvent } from 'react';
import { useState } from 'react';
import { useT } from '../i18n/index.ts';
import { Problem } from '../parts/problem.tsx';
import { useTitle } from '../parts/title.ts';
import { client } from '../session/client.ts';
import { queryClient } from '../session/queries.ts';
import { errorText } from '../view/error-text.ts';

/**
 * The way into a server that has a token. What is typed is sent to the server and kept nowhere here: the browser gets a
 * cookie.
 */
export function Unlock() {
  const t = useT();
  useTitle(t('unlock.title'));
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const open = async (): Promise<void> => {
    setProblem(null);
    try {
      await client.openSession(token);
      await queryClient.resetQueries();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void open();
  };
  return (
    <main className="main" id="conversation">
      <form className="welcome unlock" onSubmit={submit}>
        <img src="/icon.svg" alt="" width="56" height="56" />
        <h1>{t('unlock.title')}</h1>
        <p id="unlock-body">{t('unlock.body')}</p>
        <label className="visually-hidden" htmlFor="unlock-token">
          {t('unlock.token')}
        </label>
        <input
          id="unlock-token"
          className="input"
          type="password"
          autoComplete="current-password"
          placeholder={t('unlock.token')}
          aria-describedby="unlock-body"
          value={token}
          required
          autoFocus
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="button primary">
          {t('unlock.open')}
        </button>
        {problem === null ? null : <Problem message={problem} />}
      </form>
    </main>
  );
}
