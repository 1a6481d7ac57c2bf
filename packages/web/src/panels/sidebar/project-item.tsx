import type { ProjectView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/index.ts';
import { PinIcon } from '../../parts/icons.tsx';
import { dragProject } from '../../session/drag-project.ts';
import { useNews } from '../../session/news.ts';
import { projectQuery } from '../../session/queries.ts';
import { useChosen } from '../../session/selection.ts';
import { mostUrgent } from '../../view/news.ts';
import { BranchList } from './branch-list.tsx';
import { NewsMark } from './news-mark.tsx';
import { ProjectMenu } from './project-menu.tsx';

/** Chooses the project of a row or takes it back; with Shift, all rows since the last one. */
export type Choose = (isRange: boolean) => void;

interface ProjectItemProps {
  readonly project: ProjectView;
  readonly isCurrent: boolean;
  /** Absent where a project stands by itself. */
  readonly onChoose?: Choose;
}

/** A project in a list. */
export function ProjectItem({ project, isCurrent, onChoose }: ProjectItemProps) {
  const t = useT();
  const chosen = useChosen();
  const news = mostUrgent([...useNews().values()].filter(({ projectId }) => projectId === project.id));
  if (chosen !== null && onChoose !== undefined)
    return (
      <label className="project-row choosing" data-current={isCurrent ? '' : undefined}>
        <input
          type="checkbox"
          checked={chosen.has(project.id)}
          // A click knows whether Shift was held; a change does not.
          onClick={(event) => onChoose(event.shiftKey)}
          onChange={() => undefined}
        />
        <span className="project-name-text">{project.name}</span>
        <NewsMark kind={news} />
      </label>
    );
  return (
    <div className="project-row" data-current={isCurrent ? '' : undefined}>
      <Link
        to="/p/$projectId"
        params={{ projectId: project.id }}
        aria-current={isCurrent ? 'page' : undefined}
        {...dragProject(project)}
      >
        {project.name}
      </Link>
      {project.pinned ? (
        <span className="pin" role="img" aria-label={t('projects.pinned')} title={t('projects.pinned')}>
          <PinIcon />
        </span>
      ) : null}
      <NewsMark kind={news} />
      <ProjectMenu project={project} />
    </div>
  );
}

interface OpenProjectProps extends Pick<ProjectItemProps, 'project' | 'onChoose'> {
  readonly search: string;
}

/** The project that is open, with its branches. */
export function OpenProject({ project, search, onChoose }: OpenProjectProps) {
  const { data } = useQuery(projectQuery(project.id));
  return (
    <>
      <ProjectItem project={data?.project ?? project} isCurrent {...(onChoose === undefined ? {} : { onChoose })} />
      <BranchList projectId={project.id} branches={data?.branches ?? []} search={search} />
    </>
  );
}
