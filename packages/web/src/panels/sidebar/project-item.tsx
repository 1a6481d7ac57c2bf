import type { ProjectView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectQuery } from '../../session/queries.ts';
import { BranchList } from './branch-list.tsx';
import { ProjectMenu } from './project-menu.tsx';

interface ProjectItemProps {
  readonly project: ProjectView;
  readonly isCurrent: boolean;
}

/** A project in a list. */
export function ProjectItem({ project, isCurrent }: ProjectItemProps) {
  return (
    <div className="project-row" data-current={isCurrent ? '' : undefined}>
      <Link to="/p/$projectId" params={{ projectId: project.id }} aria-current={isCurrent ? 'page' : undefined}>
        {project.name}
      </Link>
      <ProjectMenu project={project} />
    </div>
  );
}

/** The project that is open, with its branches. */
export function OpenProject({ project, search }: { readonly project: ProjectView; readonly search: string }) {
  const { data } = useQuery(projectQuery(project.id));
  return (
    <>
      <ProjectItem project={data?.project ?? project} isCurrent />
      <BranchList projectId={project.id} branches={data?.branches ?? []} search={search} />
    </>
  );
}
