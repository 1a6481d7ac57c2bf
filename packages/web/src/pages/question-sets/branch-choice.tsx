import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { useSettled } from '../../parts/settled.ts';
import { namedProjectsQuery, projectQuery } from '../../session/queries.ts';

/** By the ids of both. */
export interface ChosenBranch {
  readonly project: string;
  readonly branch: string;
}

interface BranchChoiceProps {
  readonly chosen: ChosenBranch | null;
  readonly onChoose: (branch: ChosenBranch | null) => void;
}

/** A branch of any project: there may be ten thousand of them, so they are looked for by name. */
export function BranchChoice({ chosen, onChoose }: BranchChoiceProps) {
  const t = useT();
  const [typed, setTyped] = useState('');
  const found = useQuery(namedProjectsQuery(useSettled(typed, 150).trim())).data?.projects ?? [];
  const [wanted, setWanted] = useState(chosen?.project ?? null);
  const projectId = wanted ?? found[0]?.id ?? '';
  const project = useQuery({ ...projectQuery(projectId), enabled: projectId !== '' }).data;
  const branches = project?.branches ?? [];
  const first = branches.find(({ name }) => name === 'main') ?? branches[0];
  // A project of its own list stays in it, whatever is typed.
  const isListed = found.some(({ id }) => id === projectId);
  const branchId = chosen?.project === projectId ? chosen.branch : (first?.id ?? '');
  useEffect(() => {
    if (branchId !== '' && (chosen?.project !== projectId || chosen.branch !== branchId))
      onChoose({ project: projectId, branch: branchId });
  }, [projectId, branchId, chosen, onChoose]);
  return (
    <>
      <label className="field">
        <span>{t('sets.project.find')}</span>
        <input className="input" type="search" value={typed} onChange={(event) => setTyped(event.target.value)} />
      </label>
      <div className="field-row">
        <label className="field">
          <span>{t('sets.project')}</span>
          <select className="input" value={projectId} onChange={(event) => setWanted(event.target.value)}>
            {isListed || project === undefined ? null : <option value={projectId}>{project.project.name}</option>}
            {found.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>{t('export.branch')}</span>
          <select
            className="input"
            value={branchId}
            onChange={(event) => onChoose({ project: projectId, branch: event.target.value })}
          >
            {branches.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p className="sets-hint">{t('sets.branch.hint')}</p>
    </>
  );
}
