import { createRoute, z } from '@hono/zod-openapi';
import * as s from './schemas/index.ts';

/**
 * Every route of Bough, once: the server implements them, and the OpenAPI document and the client are derived from
 * them.
 */

const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});
const body = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  content: { 'application/json': { schema } },
});
const ndjson = (description: string) => ({
  description,
  content: { 'application/x-ndjson': { schema: z.string() } },
});
const failed = {
  default: {
    description: 'What went wrong, and what to do',
    content: { 'application/problem+json': { schema: s.Problem } },
  },
};
const done = { 204: { description: 'Done' } };
/** Other answers of streams and raw bytes; without a schema, because their handlers answer with a plain response. */
const refused = { 409: { description: 'Refused: see the problem’s code' } };

const trashed = z.object({ trashId: s.Id });
const removed = trashed.extend({ removed: z.array(s.Id) });

const project = z.object({ id: s.Id });
const branch = z.object({ id: s.Id, name: s.Ref });
const inProject = z.object({ id: s.Id, nodeId: s.Id });
const node = z.object({ nodeId: s.Id });
const provider = z.object({ providerId: s.ProviderId });

export const listProjects = createRoute({
  method: 'get',
  path: '/api/projects',
  request: { query: s.ProjectQuery },
  responses: { 200: json(s.ProjectList, 'Projects, newest first: all of them, or a page'), ...failed },
});
export const createProject = createRoute({
  method: 'post',
  path: '/api/projects',
  request: { body: body(s.CreateProject) },
  responses: {
    201: json(
      z.object({ project: s.ProjectView, branch: s.BranchView, notices: z.array(s.ModelNoticeView) }),
      'The project and its first branch',
    ),
    ...failed,
  },
});
export const getProject = createRoute({
  method: 'get',
  path: '/api/projects/{id}',
  request: { params: project },
  responses: {
    200: json(z.object({ project: s.ProjectView, branches: z.array(s.BranchView) }), 'The project'),
    ...failed,
  },
});
export const updateProject = createRoute({
  method: 'patch',
  path: '/api/projects/{id}',
  request: { params: project, body: body(s.UpdateProject) },
  responses: { 200: json(z.object({ project: s.ProjectView }), 'The project as it is now'), ...failed },
});
export const deleteProject = createRoute({
  method: 'delete',
  path: '/api/projects/{id}',
  request: { params: project },
  responses: { 200: json(trashed, 'What it is filed under in the trash'), ...failed },
});

export const listBranches = createRoute({
  method: 'get',
  path: '/api/projects/{id}/branches',
  request: { params: project },
  responses: { 200: json(z.object({ branches: z.array(s.BranchView) }), 'The branches of the project'), ...failed },
});
export const createBranch = createRoute({
  method: 'post',
  path: '/api/projects/{id}/branches',
  request: { params: project, body: body(s.CreateBranch) },
  responses: {
    201: json(z.object({ branch: s.BranchView, notices: z.array(s.ModelNoticeView) }), 'The new branch'),
    ...failed,
  },
});
export const updateBranch = createRoute({
  method: 'patch',
  path: '/api/projects/{id}/branches/{name}',
  request: { params: branch, body: body(s.UpdateBranch) },
  responses: {
    /** `notices`: what is not known about another model; absent if there is nothing to say. */
    200: json(
      z.object({ branch: s.BranchView, notices: z.array(s.ModelNoticeView).optional() }),
      'The branch as it is now',
    ),
    ...failed,
  },
});
export const deleteBranch = createRoute({
  method: 'delete',
  path: '/api/projects/{id}/branches/{name}',
  request: { params: branch },
  responses: { 200: json(trashed, 'What it is filed under in the trash'), ...failed },
});
export const branchDeletion = createRoute({
  method: 'get',
  path: '/api/projects/{id}/branches/{name}/deletion',
  request: { params: branch },
  responses: { 200: json(s.DeletionView, 'What deleting the branch would do'), ...failed },
});

export const chat = createRoute({
  method: 'post',
  path: '/api/projects/{id}/chat',
  request: { params: project, body: body(s.Chat) },
  responses: { 200: ndjson('The turn as it happens'), ...refused, ...failed },
});
export const edit = createRoute({
  method: 'post',
  path: '/api/projects/{id}/edit',
  request: { params: project, body: body(s.Edit) },
  responses: { 200: ndjson('The turn on the new branch, as it happens'), ...refused, ...failed },
});
export const regenerate = createRoute({
  method: 'post',
  path: '/api/projects/{id}/regenerate',
  request: { params: project, body: body(s.Regenerate) },
  responses: {
    202: json(s.StartedTurns, 'The turns that make the sibling replies; watch each by its stream'),
    ...failed,
  },
});
export const continueTurn = createRoute({
  method: 'post',
  path: '/api/projects/{id}/continue',
  request: { params: project, body: body(s.Continue) },
  responses: { 200: ndjson('The turn that continues an interrupted reply'), ...refused, ...failed },
});
export const interrupt = createRoute({
  method: 'post',
  path: '/api/projects/{id}/interrupt',
  request: { params: project, body: body(s.Interrupt) },
  responses: { 202: json(z.object({ turnId: s.Id }), 'The turn that is being stopped'), ...failed },
});
export const approve = createRoute({
  method: 'post',
  path: '/api/projects/{id}/approve',
  request: { params: project, body: body(s.Approve) },
  responses: { 202: json(z.object({ turnId: s.Id }), 'The turn that goes on'), ...failed },
});
export const turnStream = createRoute({
  method: 'get',
  path: '/api/projects/{id}/turns/{turnId}/stream',
  request: {
    params: z.object({ id: s.Id, turnId: s.Id }),
    query: z.object({ after: z.coerce.number().int().min(0).optional() }),
  },
  responses: { 200: ndjson('The lines of the turn after `after`, then as they come'), ...refused, ...failed },
});
export const deleteTurn = createRoute({
  method: 'delete',
  path: '/api/projects/{id}/turns/{turnId}',
  request: {
    params: z.object({ id: s.Id, turnId: s.Id }),
    query: z.object({ mode: z.enum(['cascade', 'reparent']).optional() }),
  },
  responses: { 200: json(removed, 'What was removed'), ...failed },
});
export const turnDeletion = createRoute({
  method: 'get',
  path: '/api/projects/{id}/turns/{turnId}/deletion',
  request: {
    params: z.object({ id: s.Id, turnId: s.Id }),
    query: z.object({ mode: z.enum(['cascade', 'reparent']).optional() }),
  },
  responses: { 200: json(s.DeletionView, 'What deleting the turn would do'), ...failed },
});
export const watchProject = createRoute({
  method: 'get',
  path: '/api/projects/{id}/watch',
  request: { params: project },
  responses: { 200: ndjson('One line for every change of the project'), ...refused, ...failed },
});

export const history = createRoute({
  method: 'get',
  path: '/api/projects/{id}/history',
  request: {
    params: project,
    query: s.HistoryQuery,
  },
  responses: {
    200: json(s.HistoryView, 'The newest turns of the branch, or those before, after or around a node'),
    ...failed,
  },
});
export const graph = createRoute({
  method: 'get',
  path: '/api/projects/{id}/graph',
  request: { params: project, query: s.GraphQuery },
  responses: { 200: json(s.GraphView, 'The tree without its content, or what is new in it'), ...failed },
});
export const search = createRoute({
  method: 'get',
  path: '/api/projects/{id}/search',
  request: {
    params: project,
    query: z.object({ q: z.string().min(1).max(1000), limit: z.coerce.number().int().min(1).max(100).optional() }),
  },
  responses: { 200: json(s.SearchView, 'Nodes that contain the text'), ...failed },
});
export const context = createRoute({
  method: 'post',
  path: '/api/projects/{id}/context',
  request: { params: project, body: body(s.ContextRequest) },
  responses: {
    200: json(s.ContextView, 'The exact request that would be sent, and what happens to every node'),
    ...failed,
  },
});
export const contextReport = createRoute({
  method: 'post',
  path: '/api/projects/{id}/context/report',
  request: { params: project, body: body(s.ContextReportRequest) },
  responses: { 200: json(s.ContextReport, 'What happens to every node, without the request itself'), ...failed },
});
export const raw = createRoute({
  method: 'get',
  path: '/api/projects/{id}/nodes/{nodeId}/raw',
  request: { params: inProject },
  responses: { 200: json(s.RawView, 'The provider’s own bytes'), ...refused, ...failed },
});
export const setThinking = createRoute({
  method: 'put',
  path: '/api/projects/{id}/nodes/{nodeId}/thinking',
  request: { params: inProject, body: body(s.SetThinkingInContext) },
  responses: { 200: json(s.ThinkingInContextView, 'The node, and a warning where one is due'), ...failed },
});
export const deleteNode = createRoute({
  method: 'delete',
  path: '/api/projects/{id}/nodes/{nodeId}',
  request: { params: inProject, query: z.object({ mode: z.enum(['cascade', 'reparent']).optional() }) },
  responses: { 200: json(removed, 'What was removed'), ...failed },
});
export const nodeDeletion = createRoute({
  method: 'get',
  path: '/api/projects/{id}/nodes/{nodeId}/deletion',
  request: { params: inProject, query: z.object({ mode: z.enum(['cascade', 'reparent']).optional() }) },
  responses: { 200: json(s.DeletionView, 'What deleting the node would do'), ...failed },
});

const ofProject = z.object({ project: s.Id.optional() });
const inTrash = z.object({ trashId: s.Id });
export const listTrash = createRoute({
  method: 'get',
  path: '/api/trash',
  request: { query: ofProject },
  responses: {
    200: json(z.object({ entries: z.array(s.TrashEntryView) }), 'What can be restored, newest first'),
    ...failed,
  },
});
export const restoreTrash = createRoute({
  method: 'post',
  path: '/api/trash/{trashId}/restore',
  request: { params: inTrash },
  responses: { 200: json(z.object({ entry: s.TrashEntryView }), 'What was restored'), ...failed },
});
export const purgeTrash = createRoute({
  method: 'delete',
  path: '/api/trash/{trashId}',
  request: { params: inTrash },
  responses: { ...done, ...failed },
});
export const emptyTrash = createRoute({
  method: 'delete',
  path: '/api/trash',
  request: { query: ofProject },
  responses: { 200: json(z.object({ purged: z.number() }), 'How many entries were deleted for good'), ...failed },
});

export const appendMessages = createRoute({
  method: 'post',
  path: '/api/nodes/{nodeId}/append',
  request: { params: node, body: body(s.AppendMessages) },
  responses: {
    201: json(s.AppendedView, 'The nodes of the sequence, found or new; a project’s id stands for its root'),
    ...failed,
  },
});
export const editContent = createRoute({
  method: 'put',
  path: '/api/nodes/{nodeId}/content',
  request: { params: node, body: body(s.EditContent) },
  responses: {
    201: json(z.object({ node: s.NodeView }), 'The new sibling; the node itself and what follows it stay'),
    ...failed,
  },
});
export const getNode = createRoute({
  method: 'get',
  path: '/api/nodes/{nodeId}',
  request: { params: node },
  responses: { 200: json(z.object({ node: s.NodeView }), 'The node'), ...failed },
});
export const getPath = createRoute({
  method: 'get',
  path: '/api/nodes/{nodeId}/path',
  request: { params: node },
  responses: { 200: json(s.NodeList, 'From the root to the node'), ...failed },
});
export const getChildren = createRoute({
  method: 'get',
  path: '/api/nodes/{nodeId}/children',
  request: { params: node },
  responses: { 200: json(s.NodeList, 'In order of creation'), ...failed },
});
export const getSiblings = createRoute({
  method: 'get',
  path: '/api/nodes/{nodeId}/siblings',
  request: { params: node },
  responses: { 200: json(s.NodeList, 'The node among its siblings, in order of creation'), ...failed },
});

/** For browsers, which cannot keep a header: the token becomes a cookie that no script can read. */
export const openSession = createRoute({
  method: 'post',
  path: '/api/session',
  request: { body: body(s.OpenSession) },
  responses: { ...done, ...failed },
});
export const getSession = createRoute({
  method: 'get',
  path: '/api/session',
  responses: { 200: json(s.SessionView, 'Whether this server asks for a token'), ...failed },
});
export const closeSession = createRoute({
  method: 'delete',
  path: '/api/session',
  responses: { ...done, ...failed },
});

export const listProviders = createRoute({
  method: 'get',
  path: '/api/providers',
  responses: { 200: json(s.ProviderList, 'Providers and their models'), ...failed },
});
export const setProviderKey = createRoute({
  method: 'put',
  path: '/api/providers/{providerId}/key',
  request: { params: provider, body: body(s.SetProviderKey) },
  responses: { ...done, ...failed },
});
export const deleteProviderKey = createRoute({
  method: 'delete',
  path: '/api/providers/{providerId}/key',
  request: { params: provider },
  responses: { ...done, ...failed },
});
export const setProviderBaseUrl = createRoute({
  method: 'put',
  path: '/api/providers/{providerId}/base-url',
  request: { params: provider, body: body(s.SetProviderBaseUrl) },
  responses: { ...done, ...failed },
});
export const setDefaults = createRoute({
  method: 'put',
  path: '/api/defaults',
  request: { body: body(s.SetDefaults) },
  responses: { ...done, ...failed },
});
export const listTools = createRoute({
  method: 'get',
  path: '/api/tools',
  responses: { 200: json(z.object({ tools: z.array(s.ToolView) }), 'Tools that a branch may use'), ...failed },
});
export const diagnostics = createRoute({
  method: 'get',
  path: '/api/diagnostics/thinking',
  responses: { 200: json(s.DiagnosticsView, 'Counts'), ...failed },
});
export const healthz = createRoute({
  method: 'get',
  path: '/api/healthz',
  responses: { 200: json(s.Health, 'Alive'), ...failed },
});
export const ready = createRoute({
  method: 'get',
  path: '/api/healthz/ready',
  responses: {
    200: json(s.Health, 'Ready to take requests'),
    503: json(s.Health, 'Not yet, or not any more'),
    ...failed,
  },
});
export const metrics = createRoute({
  method: 'get',
  path: '/api/metrics',
  responses: { 200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } }, ...failed },
});
