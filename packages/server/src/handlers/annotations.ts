import type { AnnotationView, ListedAnnotation } from '@bough/api';
import { routes } from '@bough/api';
import type { Annotation, AnnotationKind, Branch, NodeId, ProjectId, TreeNode } from '@bough/core';
import { ANNOTATION_KINDS, BoughError, nodeId, projectId, readQuestion, UnknownIdError } from '@bough/core';
import { judgedModels } from '@bough/engine';
import type { Store } from '@bough/store';
import type { App, Parts } from './parts.ts';

const DEFAULT_PAGE = 100;

export function annotationHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.listAnnotations, async (context) => {
    const { project, kind, limit = DEFAULT_PAGE, offset = 0 } = context.req.valid('query');
    const found = await store.annotations({
      ...(project !== undefined && { projectId: projectId(project) }),
      ...(kind !== undefined && { kinds: kind.split(',').map(kindOf) }),
    });
    const kept = await thereStill(store, found);
    const page = kept.slice(offset, offset + limit);
    return context.json({ annotations: await listed(store, page), total: kept.length }, 200);
  });
  app.openapi(routes.projectAnnotations, async (context) => {
    const found = await store.annotations({ projectId: projectId(context.req.valid('param').id) });
    return context.json({ annotations: (await thereStill(store, found)).map(view) }, 200);
  });
  app.openapi(routes.annotateNode, async (context) => {
    const { id, nodeId: node } = context.req.valid('param');
    const found = await engine.annotateNode(projectId(id), nodeId(node), context.req.valid('json'));
    return context.json({ annotations: (await thereStill(store, found)).map(view) }, 200);
  });
  app.openapi(routes.judge, async (context) => {
    const { nodes, best, reason, blind } = context.req.valid('json');
    const { comparison, annotations } = await engine.judge(projectId(context.req.valid('param').id), {
      nodes: nodes.map(nodeId),
      best: best.map(nodeId),
      reason,
      blind,
    });
    return context.json({ comparison, annotations: annotations.map(view) }, 200);
  });
  app.openapi(routes.judgedModels, async (context) => {
    const { project } = context.req.valid('query');
    const results = await judgedModels(store, project === undefined ? undefined : projectId(project));
    return context.json({ models: results.map((result) => ({ ...result })) }, 200);
  });
}

function kindOf(named: string): AnnotationKind {
  const kind = ANNOTATION_KINDS.find((known) => known === named.trim());
  if (kind === undefined)
    throw new BoughError('invalid_kind', `There is no kind "${named}". There are ${ANNOTATION_KINDS.join(', ')}.`);
  return kind;
}

/** A question whose branch lies in the trash, or was deleted for good, is none: nothing could be opened from it. */
async function thereStill(store: Store, found: readonly Annotation[]): Promise<readonly Annotation[]> {
  const asked = found.filter(({ kind }) => kind === 'question');
  const branches = new Set<string>();
  for (const project of new Set(asked.map((one) => one.projectId)))
    for (const { id } of await branchesOf(store, project)) branches.add(id);
  return found.filter(({ kind, name }) => kind !== 'question' || branches.has(name));
}

/** None where the project was deleted since its annotations were found. */
async function branchesOf(store: Store, project: ProjectId): Promise<readonly Branch[]> {
  try {
    return await store.listBranches(project);
  } catch (error) {
    if (error instanceof UnknownIdError) return [];
    throw error;
  }
}

/** What a question is found again by is told where questions are listed. */
function view(annotation: Annotation): AnnotationView {
  if (annotation.kind !== 'question') return { ...annotation };
  return { ...annotation, text: readQuestion(annotation.text)?.question ?? '' };
}

/** What was deleted since it was found is left out. */
async function listed(store: Store, annotations: readonly Annotation[]): Promise<ListedAnnotation[]> {
  const about = new Map<ProjectId, About | null>();
  for (const project of new Set(annotations.map((one) => one.projectId))) {
    const given = annotations.filter((one) => one.projectId === project);
    about.set(project, await aboutOf(store, project, [...new Set(given.map((one) => one.nodeId))]));
  }
  return annotations.flatMap((annotation): ListedAnnotation[] => {
    const there = about.get(annotation.projectId);
    const node = there?.nodes.get(annotation.nodeId);
    if (there == null || node === undefined) return [];
    const branch = there.leading.get(node.id) ?? null;
    return [
      {
        ...view(annotation),
        projectName: there.name,
        role: node.role,
        model: node.modelUsed,
        title: titleOf(node.content),
        branchId: branch?.id ?? null,
        branchName: branch?.name ?? null,
      },
    ];
  });
}

interface About {
  readonly name: string;
  readonly nodes: ReadonlyMap<NodeId, TreeNode>;
  readonly leading: ReadonlyMap<NodeId, Branch>;
}

async function aboutOf(store: Store, project: ProjectId, ids: readonly NodeId[]): Promise<About | null> {
  try {
    const [{ name }, nodes, graph, facts] = await Promise.all([
      store.getProject(project),
      store.getNodes(project, ids),
      store.graph(project),
      store.branchFacts(project),
    ]);
    const usedAt = ({ id }: Branch): string => facts[id]?.lastUsedAt ?? '';
    const inOrder = graph.branches.toSorted(
      (a, b) => Number(a.hidden) - Number(b.hidden) || (usedAt(a) > usedAt(b) ? -1 : 1),
    );
    const parents = new Map(graph.nodes.map(({ id, parentId }) => [id, parentId]));
    return { name, nodes: new Map(nodes.map((node) => [node.id, node])), leading: leadingTo(ids, inOrder, parents) };
  } catch (error) {
    if (error instanceof UnknownIdError) return null;
    throw error;
  }
}

/** For each node the first branch whose path has it. A path is walked only as far as no other was. */
function leadingTo(
  ids: readonly NodeId[],
  branches: readonly Branch[],
  parents: ReadonlyMap<NodeId, NodeId | null>,
): ReadonlyMap<NodeId, Branch> {
  const wanted = new Set(ids);
  const seen = new Set<NodeId>();
  const found = new Map<NodeId, Branch>();
  for (const branch of branches) {
    for (let at = branch.tipId; at !== null && !seen.has(at); at = parents.get(at) ?? null) {
      seen.add(at);
      if (wanted.has(at)) found.set(at, branch);
    }
  }
  return found;
}

const TITLE_LENGTH = 160;

function titleOf(content: string): string {
  const line = content
    .slice(0, TITLE_LENGTH * 4)
    .trim()
    .replaceAll(/\s+/g, ' ');
  const letters = Array.from(line);
  return letters.length <= TITLE_LENGTH ? line : `${letters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}
