import type { ProjectView } from '@bough/api/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Problem } from '../../parts/problem.tsx';
import type { ProjectSearch } from '../../session/queries.ts';
import { PAGE_PROJECTS, projectsQuery } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { choose } from '../../session/selection.ts';
import type { Choose } from './project-item.tsx';
import { OpenProject, ProjectItem } from './project-item.tsx';

interface ProjectListProps {
  readonly of: ProjectSearch;
  readonly label: string;
  readonly currentId: string | undefined;
  /** The project that shows its branches here; anywhere else it is listed, it does not. */
  readonly openId: string | undefined;
  readonly typed: string;
  readonly scroller: HTMLElement;
}

const ROW_HEIGHT = 35;

/**
 * A list that scrolls through all projects. Only those near the screen are in the page, and only pages that were looked
 * at are read.
 */
export function ProjectList({ of, label, currentId, openId, typed, scroller }: ProjectListProps) {
  const t = useT();
  const first = useQuery({ ...projectsQuery(of), placeholderData: keepPreviousData });
  const [list, setList] = useState<HTMLUListElement | null>(null);
  const scrollMargin = useOffset(list, scroller);
  const virtualizer = useVirtualizer({
    count: first.data?.total ?? 0,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    scrollMargin,
  });
  const items = virtualizer.getVirtualItems();
  const pages = [...new Set(items.map(({ index }) => Math.floor(index / PAGE_PROJECTS)))].filter((page) => page > 0);
  const read = useQueries({ queries: pages.map((page) => projectsQuery(of, page)) });
  const projectAt = (index: number): ProjectView | undefined => {
    const page = Math.floor(index / PAGE_PROJECTS);
    const { data } = page === 0 ? first : (read[pages.indexOf(page)] ?? first);
    return data?.projects[index % PAGE_PROJECTS];
  };
  const openAt = first.data?.projects.findIndex(({ id }) => id === openId) ?? -1;
  const reveal = useEffectEvent(() => {
    const { range } = virtualizer;
    const isInSight = range !== null && openAt >= range.startIndex && openAt < range.endIndex;
    if (openAt >= 0 && !isInSight) virtualizer.scrollToIndex(openAt, { align: 'start' });
  });
  const isListed = openAt >= 0;
  // When it is opened, and once it is read; not while somebody scrolls away from it.
  useEffect(() => {
    if (!isListed) return undefined;
    // What is visible is known only after the list has been drawn with it.
    const frame = requestAnimationFrame(() => reveal());
    return () => cancelAnimationFrame(frame);
  }, [openId, isListed]);
  const chooseAt =
    (id: string, index: number): Choose =>
    (isRange) =>
      void attempt(() => choose({ of, index, id }, isRange));
  const problem = read.find(({ isError }) => isError)?.error;
  return (
    <>
      <ul className="project-list" aria-label={label} ref={setList} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const project = projectAt(index);
          return (
            <li
              key={index}
              data-index={index}
              ref={virtualizer.measureElement}
              aria-setsize={first.data?.total}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start - scrollMargin}px)` }}
            >
              {project === undefined ? (
                <div className="project-row blank">
                  <span className="visually-hidden">{t('app.loading')}</span>
                </div>
              ) : project.id === openId ? (
                <OpenProject key={project.id} project={project} search={typed} onChoose={chooseAt(project.id, index)} />
              ) : (
                // By its id: an open menu or question must never pass to the project that moves up into its place.
                <ProjectItem
                  key={project.id}
                  project={project}
                  isCurrent={project.id === currentId}
                  onChoose={chooseAt(project.id, index)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {problem == null ? null : <Problem message={problem.message} />}
    </>
  );
}

/**
 * How far below the start of the scroll container an element begins. Measured after every change, and whenever anything
 * in the container grows or shrinks: a folder that opens above a list moves it without drawing it again.
 */
function useOffset(element: HTMLElement | null, scroller: HTMLElement): number {
  const [offset, setOffset] = useState(0);
  const measure = useEffectEvent(() => {
    if (element === null) return;
    const top = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
    if (Math.abs(top - offset) >= 1) setOffset(top);
  });
  useLayoutEffect(() => measure());
  useEffect(() => {
    const content = scroller.firstElementChild;
    if (content === null) return undefined;
    const observer = new ResizeObserver(() => measure());
    observer.observe(content);
    return () => observer.disconnect();
  }, [scroller]);
  return offset;
}
