import type { ImportReport } from '@bough/api/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { MessageKey, Translator } from '../../i18n/later/index.ts';
import { useT } from '../../i18n/later/index.ts';
import { formatNumber } from '../../view/format.ts';

/** An export may hold thousands of conversations, and as many complaints. */
const SHOWN = 50;
/** Why reasoning of agents' sessions is not sent back. */
const STAYS = ['unsigned', 'bound', 'unknown_maker'] as const;
const OUTCOMES = ['new', 'grown', 'unchanged'] as const;

/** What an import made, what was there already, and what it left out and why. */
export function Report({ report }: { readonly report: ImportReport }) {
  const t = useT();
  const { outcomes, projects, leftOut, beside, missingFiles, problems, unreplayable, reasoning } = report;
  const named = missingFiles.filter(({ name }) => name !== null);
  const number = (value: number): string => formatNumber(value, t.locale);
  const counts = OUTCOMES.map((outcome) => [outcome, outcomes[outcome]] as const);
  // What is new comes first: the reader came for it.
  const sorted = projects.toSorted((a, b) => rankOf(a.outcome) - rankOf(b.outcome));
  return (
    <div className="import-report">
      <section>
        <h2>{projects.length === 0 ? t('import.done.nothing') : t('import.done')}</h2>
        <p className="import-counts" role="status">
          {counts
            .filter(([, count]) => count > 0)
            .map(([outcome, count]) => t(`import.count.${outcome}`, { count: number(count) }))
            .join(' · ')}
        </p>
        {unreplayable === 0 ? null : (
          <p className="faint">{t('import.unreplayable', { count: number(unreplayable) })}</p>
        )}
        {reasoning.goesBack === 0 ? null : (
          <p className="faint">{t('import.goesBack', { count: number(reasoning.goesBack) })}</p>
        )}
        {STAYS.map((reason) => {
          const count = reasoning.stays[reason] ?? 0;
          return count === 0 ? null : (
            <p key={reason} className="faint">
              {t(`import.stays.${reason}`, { count: number(count) })}
            </p>
          );
        })}
      </section>
      {projects.length === 0 ? null : (
        <section>
          <h2>{t('import.projects')}</h2>
          <Long
            items={sorted}
            row={({ id, name, outcome, addedNodes }) => (
              <li key={id}>
                <Link to="/p/$projectId" params={{ projectId: id }}>
                  {name}
                </Link>
                <span className="faint">
                  {addedNodes > 0 ? t('import.messages', { count: number(addedNodes) }) : null}
                </span>
                <span className={outcome === 'unchanged' ? 'badge' : 'badge good'}>{outcomeText(outcome, t)}</span>
              </li>
            )}
          />
        </section>
      )}
      {Object.keys(leftOut).length === 0 ? null : (
        <section>
          <h2>{t('import.leftOut')}</h2>
          <p className="faint">{t('import.leftOut.why')}</p>
          <Long
            items={Object.entries(leftOut)}
            row={([kind, count]) => (
              <li key={kind}>
                <span>{t(kindKey(kind), { kind })}</span>
                <span className="faint">{kind}</span>
                <span>{number(count)}</span>
              </li>
            )}
          />
          {named.length === 0 ? null : (
            <Long
              items={named}
              row={({ where, name, reason }, index) => (
                <li key={index}>
                  <span>{name}</span>
                  <span className="faint import-detail">{`${where}: ${reason}`}</span>
                </li>
              )}
            />
          )}
        </section>
      )}
      {Object.keys(beside).length === 0 ? null : (
        <section>
          <h2>{t('import.beside')}</h2>
          <p className="faint">{t('import.beside.why')}</p>
          <Long
            items={Object.entries(beside)}
            row={([kind, count]) => (
              <li key={kind}>
                <span>{kind}</span>
                <span>{number(count)}</span>
              </li>
            )}
          />
        </section>
      )}
      {problems.length === 0 ? null : (
        <section>
          <h2>{t('import.problems')}</h2>
          <p className="faint">{t('import.problems.why')}</p>
          <Long
            items={problems}
            row={({ where, message }, index) => (
              <li key={index}>
                <span>{where}</span>
                <span className="faint import-detail">{message}</span>
              </li>
            )}
          />
        </section>
      )}
    </div>
  );
}

function Long<Item>({
  items,
  row,
}: {
  readonly items: readonly Item[];
  readonly row: (item: Item, index: number) => React.ReactNode;
}) {
  const t = useT();
  const [all, setAll] = useState(false);
  return (
    <>
      <ul className="import-list">{(all ? items : items.slice(0, SHOWN)).map(row)}</ul>
      {all || items.length <= SHOWN ? null : (
        <button type="button" className="link-button" onClick={() => setAll(true)}>
          {t('import.all', { count: formatNumber(items.length, t.locale) })}
        </button>
      )}
    </>
  );
}

function rankOf(outcome: string): number {
  return OUTCOMES.findIndex((each) => each === outcome);
}

function outcomeText(outcome: string, t: Translator): string {
  const known = OUTCOMES.find((each) => each === outcome);
  return known === undefined ? outcome : t(`import.state.${known}`);
}

/** Other programs name a picture in many ways. */
function kindKey(kind: string): MessageKey {
  if (/image|picture|photo|multimodal/i.test(kind)) return 'import.kind.image';
  if (/audio|voice/i.test(kind)) return 'import.kind.audio';
  if (/file|attachment|document/i.test(kind)) return 'import.kind.file';
  return 'import.kind.other';
}
