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
/** Bytes of whatever kind they are: a client hands them on as they come, and reads nothing into them. */
const bytes = (description: string) => ({ description, content: { '*/*': { schema: z.string() } } });
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
  responses: { 200: json(s.ProjectList, 'Projects, the last used first: all of them, or a page'), ...failed },
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
    200: json(z.object({ project: s.ProjectDetails, branches: z.array(s.BranchView) }), 'The project'),
    ...failed,
  },
});
export const updateProject = createRoute({
  method: 'patch',
  path: '/api/projects/{id}',
  request: { params: project, body: body(s.UpdateProject) },
  responses: { 200: json(z.object({ project: s.ProjectDetails }), 'The project as it is now'), ...failed },
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
export const ask = createRoute({
  method: 'post',
  path: '/api/projects/{id}/ask',
  request: { params: project, body: body(s.Ask) },
  responses: {
    202: json(s.AskedView, 'The turns that answer, each on a branch of its own, and what was refused'),
    ...failed,
  },
});
export const askEstimate = createRoute({
  method: 'post',
  path: '/api/projects/{id}/ask/estimate',
  request: { params: project, body: body(s.Ask) },
  responses: { 200: json(s.AskEstimate, 'What the same question would cost, target by target'), ...failed },
});
export const keepAnswers = createRoute({
  method: 'post',
  path: '/api/projects/{id}/ask/keep',
  request: { params: project, body: body(s.Keep) },
  responses: { 200: json(s.KeptView, 'The branches that were put into the trash'), ...failed },
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
  responses: { 202: json(s.Interrupted, 'The turn that is being stopped, or all of them'), ...failed },
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
const recordedCall = z.object({ id: s.Id, turnId: s.Id, callId: s.Id });
export const listExchanges = createRoute({
  method: 'get',
  path: '/api/projects/{id}/turns/{turnId}/exchanges',
  request: { params: z.object({ id: s.Id, turnId: s.Id }) },
  responses: {
    200: json(z.object({ calls: z.array(s.RecordedCallView) }), 'The calls that a client of the gateway made'),
    ...failed,
  },
});
export const getExchange = createRoute({
  method: 'get',
  path: '/api/projects/{id}/turns/{turnId}/exchanges/{callId}',
  request: { params: recordedCall },
  responses: { 200: json(s.ExchangeView, 'What came, what left, and what became of the cache'), ...failed },
});
export const getExchangeBody = createRoute({
  method: 'get',
  path: '/api/projects/{id}/turns/{turnId}/exchanges/{callId}/body',
  request: { params: recordedCall, query: z.object({ of: z.enum(['came', 'sent']) }) },
  responses: { 200: bytes('A body to the byte, as a file'), ...failed },
});
export const watchProject = createRoute({
  method: 'get',
  path: '/api/projects/{id}/watch',
  request: { params: project },
  responses: { 200: ndjson('One line for every change of the project'), ...refused, ...failed },
});

export const watch = createRoute({
  method: 'get',
  path: '/api/watch',
  request: { query: z.object({ project: s.Id.optional() }) },
  responses: {
    200: ndjson('Turns that begin, end or wait for an approval in any project, and every change of the one given'),
    ...refused,
    ...failed,
  },
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
  responses: {
    200: json(s.GraphView, 'The tree without its content: whole, its outline, a part, or what is new'),
    ...failed,
  },
});
export const findNodes = createRoute({
  method: 'get',
  path: '/api/projects/{id}/nodes',
  request: { params: project, query: z.object({ id: z.string().min(4).max(200) }) },
  responses: { 200: json(s.NodeIds, 'The nodes whose ids begin with this, at most ten'), ...failed },
});
export const search = createRoute({
  method: 'get',
  path: '/api/search',
  request: { query: s.SearchQuery },
  responses: { 200: json(s.SearchView, 'Names and messages of all projects, or of one, that match'), ...failed },
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
export const compaction = createRoute({
  method: 'post',
  path: '/api/projects/{id}/compaction',
  request: { params: project, body: body(s.CompactionRequest) },
  responses: { 200: json(s.CompactionPreview, 'What a summary would stand for, do and cost'), ...failed },
});
export const compact = createRoute({
  method: 'post',
  path: '/api/projects/{id}/compact',
  request: { params: project, body: body(s.Compact) },
  responses: { 201: json(s.Compacted, 'The new branch, with a summary in place of its beginning'), ...failed },
});
export const summary = createRoute({
  method: 'get',
  path: '/api/projects/{id}/summary',
  request: { params: project, query: z.object({ ref: s.Ref }) },
  responses: { 200: json(s.SummaryView, 'The summary that counts on a branch, or null'), ...failed },
});
export const mergePreview = createRoute({
  method: 'post',
  path: '/api/projects/{id}/merge/preview',
  request: { params: project, body: body(s.MergeRequest) },
  responses: { 200: json(s.MergePreview, 'What a merge would bring, and what that costs'), ...failed },
});
export const merge = createRoute({
  method: 'post',
  path: '/api/projects/{id}/merge',
  request: { params: project, body: body(s.Merge) },
  responses: { 201: json(s.Merged, 'The merge, at the end of the branch that it was brought to'), ...failed },
});
export const readMerge = createRoute({
  method: 'get',
  path: '/api/projects/{id}/nodes/{nodeId}/merge',
  request: { params: inProject },
  responses: { 200: json(s.MergeView, 'Where a merge came from, and what it brought'), ...failed },
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
const annotations = z.object({ annotations: z.array(s.AnnotationView) });
export const listAnnotations = createRoute({
  method: 'get',
  path: '/api/annotations',
  request: { query: s.AnnotationsQuery },
  responses: {
    200: json(
      z.object({ annotations: z.array(s.ListedAnnotation), total: z.number() }),
      'Stars, bookmarks, notes and verdicts, the newest first',
    ),
    ...failed,
  },
});
export const projectAnnotations = createRoute({
  method: 'get',
  path: '/api/projects/{id}/annotations',
  request: { params: project },
  responses: { 200: json(annotations, 'All that is kept beside the messages of a project'), ...failed },
});
export const annotateNode = createRoute({
  method: 'put',
  path: '/api/projects/{id}/nodes/{nodeId}/annotations',
  request: { params: inProject, body: body(s.AnnotateNode) },
  responses: { 200: json(annotations, 'All that is kept beside the message now'), ...failed },
});
export const getCanvas = createRoute({
  method: 'get',
  path: '/api/projects/{id}/canvas',
  request: { params: project, query: s.CanvasQuery },
  responses: {
    200: json(z.object({ canvas: s.CanvasView.nullable() }), 'The document as a branch has it, or an older version'),
    ...failed,
  },
});
export const canvasHistory = createRoute({
  method: 'get',
  path: '/api/projects/{id}/canvas/history',
  request: { params: project, query: z.object({ ref: s.Ref }) },
  responses: {
    200: json(z.object({ versions: z.array(s.CanvasVersionView) }), 'The versions of a branch, the newest first'),
    ...failed,
  },
});
export const writeCanvas = createRoute({
  method: 'put',
  path: '/api/projects/{id}/canvas',
  request: { params: project, body: body(s.WriteCanvas) },
  responses: { 200: json(z.object({ canvas: s.CanvasView }), 'The version that counts now'), ...failed },
});
export const mergeCanvas = createRoute({
  method: 'post',
  path: '/api/projects/{id}/canvas/merge',
  request: { params: project, body: body(s.MergeCanvas) },
  responses: { 200: json(s.MergedCanvasView, 'What came of it; stored unless a conflict is open'), ...failed },
});
export const askAbout = createRoute({
  method: 'post',
  path: '/api/projects/{id}/questions',
  request: { params: project, body: body(s.AskAbout) },
  responses: { 202: json(s.AskedAboutView, 'The question; its turn runs in the background'), ...failed },
});
export const listQuestions = createRoute({
  method: 'get',
  path: '/api/projects/{id}/questions',
  request: { params: project, query: s.QuestionsQuery },
  responses: {
    200: json(z.object({ questions: z.array(s.QuestionView) }), 'What was asked about words, the newest first'),
    ...failed,
  },
});
export const deleteQuestion = createRoute({
  method: 'delete',
  path: '/api/projects/{id}/questions/{name}',
  request: { params: branch },
  responses: { 200: json(trashed, 'What its branch is filed under in the trash'), ...failed },
});
export const judge = createRoute({
  method: 'post',
  path: '/api/projects/{id}/verdicts',
  request: { params: project, body: body(s.Judge) },
  responses: {
    200: json(annotations.extend({ comparison: s.Id }), 'The verdicts, one beside each reply'),
    ...failed,
  },
});
export const judgedModels = createRoute({
  method: 'get',
  path: '/api/verdicts',
  request: { query: ofProject },
  responses: { 200: json(z.object({ models: z.array(s.ModelResult) }), 'How each model fared'), ...failed },
});

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

export const importLimits = createRoute({
  method: 'get',
  path: '/api/import',
  responses: { 200: json(s.ImportLimits, 'What may be imported'), ...failed },
});
/** The file itself is the body, so that its size is limited by the disk and not by memory. */
export const importFile = createRoute({
  method: 'post',
  path: '/api/import',
  request: {
    query: s.ImportQuery,
    body: {
      required: true as const,
      content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
    },
  },
  responses: { 200: ndjson('How far it is, then the report or an error'), ...refused, ...failed },
});
export const exportProject = createRoute({
  method: 'get',
  path: '/api/projects/{id}/export',
  request: { params: project, query: s.ExportQuery },
  responses: {
    200: {
      description: 'A ZIP file with everything, or a branch as a document',
      content: Object.fromEntries(
        ['application/zip', 'text/markdown', 'text/html'].map((type) => [type, { schema: z.string() }]),
      ),
    },
    ...refused,
    ...failed,
  },
});

export const exportDataset = createRoute({
  method: 'get',
  path: '/api/dataset',
  request: { query: s.DatasetQuery },
  responses: {
    200: {
      description: 'A ZIP file with the data, the list of its records and its manifest',
      content: { 'application/zip': { schema: z.string() } },
    },
    ...refused,
    ...failed,
  },
});
export const countDataset = createRoute({
  method: 'get',
  path: '/api/dataset/count',
  request: { query: s.DatasetQuery },
  responses: {
    200: json(s.DatasetCountView, 'How many records there would be, and what would be left out'),
    ...failed,
  },
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

export const uploadBlob = createRoute({
  method: 'post',
  path: '/api/blobs',
  request: {
    query: s.UploadQuery,
    body: {
      required: true as const,
      content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
    },
  },
  responses: { 201: json(s.UploadView, 'The file as a block of a message'), ...failed },
});
export const getBlob = createRoute({
  method: 'get',
  path: '/api/blobs/{hash}',
  request: { params: z.object({ hash: s.BlobHash }), query: s.BlobQuery },
  responses: {
    200: bytes('The bytes'),
    206: { description: 'The part of them that `Range` asked for' },
    304: { description: 'What the client has is still right, as bytes with a hash always are' },
    ...failed,
  },
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
export const testProvider = createRoute({
  method: 'post',
  path: '/api/providers/{providerId}/test',
  request: { params: provider },
  responses: { 200: json(s.ProviderCheckView, 'What came of asking the provider'), ...failed },
});

const deployment = z.object({ deploymentId: s.DeploymentId });
export const listDeployments = createRoute({
  method: 'get',
  path: '/api/deployments',
  responses: { 200: json(s.DeploymentList, 'The entries of `providers`, and where they come from'), ...failed },
});
export const setDeployment = createRoute({
  method: 'put',
  path: '/api/deployments/{deploymentId}',
  request: { params: deployment, body: body(s.DeploymentDraft) },
  responses: { 200: json(z.object({ deployment: s.DeploymentView }), 'The entry as it is now'), ...failed },
});
export const deleteDeployment = createRoute({
  method: 'delete',
  path: '/api/deployments/{deploymentId}',
  request: { params: deployment },
  responses: { ...done, ...failed },
});

const mcpServer = z.object({ serverName: s.McpServerName });
export const listMcpServers = createRoute({
  method: 'get',
  path: '/api/mcp-servers',
  responses: { 200: json(s.McpServerList, 'Tool servers, their state, their tools and the rules for them'), ...failed },
});
export const setMcpServer = createRoute({
  method: 'put',
  path: '/api/mcp-servers/{serverName}',
  request: { params: mcpServer, body: body(s.McpServerDraft) },
  responses: { 200: json(z.object({ server: s.McpServerView }), 'The server as it is now'), ...failed },
});
export const deleteMcpServer = createRoute({
  method: 'delete',
  path: '/api/mcp-servers/{serverName}',
  request: { params: mcpServer },
  responses: { ...done, ...failed },
});
export const reconnectMcpServer = createRoute({
  method: 'post',
  path: '/api/mcp-servers/{serverName}/reconnect',
  request: { params: mcpServer },
  responses: { 200: json(z.object({ server: s.McpServerView }), 'The server after the attempt'), ...failed },
});
const budget = z.object({ budgetName: s.BudgetName });
export const listBudgets = createRoute({
  method: 'get',
  path: '/api/budgets',
  request: { query: s.BudgetQuery },
  responses: { 200: json(s.BudgetList, 'Budgets, and what is used of them'), ...failed },
});
export const setBudget = createRoute({
  method: 'put',
  path: '/api/budgets/{budgetName}',
  request: { params: budget, body: body(s.BudgetEntry) },
  responses: { ...done, ...failed },
});
export const deleteBudget = createRoute({
  method: 'delete',
  path: '/api/budgets/{budgetName}',
  request: { params: budget },
  responses: { ...done, ...failed },
});
export const costs = createRoute({
  method: 'get',
  path: '/api/costs',
  request: { query: s.CostsQuery },
  responses: { 200: json(s.CostsView, 'What was used and what it cost, by model'), ...failed },
});
export const costsCsv = createRoute({
  method: 'get',
  path: '/api/costs.csv',
  request: { query: s.CostsQuery },
  responses: {
    200: { description: 'The same as a table', content: { 'text/csv': { schema: z.string() } } },
    ...failed,
  },
});
export const branchCosts = createRoute({
  method: 'get',
  path: '/api/projects/{id}/branches/{name}/costs',
  request: { params: branch },
  responses: { 200: json(s.CostsView, 'What the messages of a branch cost, by model'), ...failed },
});
export const setApproval = createRoute({
  method: 'put',
  path: '/api/approval',
  request: { body: body(s.SetApproval) },
  responses: { ...done, ...failed },
});
export const setDefaults = createRoute({
  method: 'put',
  path: '/api/defaults',
  request: { body: body(s.SetDefaults) },
  responses: { ...done, ...failed },
});

const inPresets = z.object({ presetId: s.Id });
const inPrompts = z.object({ promptId: s.Id });
export const listPresets = createRoute({
  method: 'get',
  path: '/api/presets',
  responses: {
    200: json(z.object({ presets: z.array(s.PresetView) }), 'Presets, in the order of creation'),
    ...failed,
  },
});
export const createPreset = createRoute({
  method: 'post',
  path: '/api/presets',
  request: { body: body(s.CreatePreset) },
  responses: { 201: json(z.object({ preset: s.PresetView }), 'The new preset'), ...failed },
});
export const updatePreset = createRoute({
  method: 'patch',
  path: '/api/presets/{presetId}',
  request: { params: inPresets, body: body(s.UpdatePreset) },
  responses: { 200: json(z.object({ preset: s.PresetView }), 'The preset as it is now'), ...failed },
});
export const deletePreset = createRoute({
  method: 'delete',
  path: '/api/presets/{presetId}',
  request: { params: inPresets },
  responses: { ...done, ...failed },
});
export const listPrompts = createRoute({
  method: 'get',
  path: '/api/prompts',
  responses: { 200: json(z.object({ prompts: z.array(s.PromptView) }), 'The prompt library'), ...failed },
});
export const createPrompt = createRoute({
  method: 'post',
  path: '/api/prompts',
  request: { body: body(s.CreatePrompt) },
  responses: { 201: json(z.object({ prompt: s.PromptView }), 'The new prompt'), ...failed },
});
export const updatePrompt = createRoute({
  method: 'patch',
  path: '/api/prompts/{promptId}',
  request: { params: inPrompts, body: body(s.UpdatePrompt) },
  responses: { 200: json(z.object({ prompt: s.PromptView }), 'The prompt as it is now'), ...failed },
});
export const deletePrompt = createRoute({
  method: 'delete',
  path: '/api/prompts/{promptId}',
  request: { params: inPrompts },
  responses: { ...done, ...failed },
});
export const importPrompts = createRoute({
  method: 'post',
  path: '/api/prompts/import',
  request: { body: body(s.ImportPrompts) },
  responses: {
    200: json(z.object({ added: z.number(), skipped: z.number() }), 'How many were new; those that are there stay'),
    ...failed,
  },
});
export const getTitleModel = createRoute({
  method: 'get',
  path: '/api/title-model',
  responses: { 200: json(s.TitleModel, 'The model that writes titles'), ...failed },
});
export const setTitleModel = createRoute({
  method: 'put',
  path: '/api/title-model',
  request: { body: body(s.TitleModel) },
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
export const getGateway = createRoute({
  method: 'get',
  path: '/api/gateway',
  responses: { 200: json(s.GatewayView, 'Which clients came through the gateway of this server'), ...failed },
});
export const listGatewaySessions = createRoute({
  method: 'get',
  path: '/api/gateway/sessions',
  request: { query: s.GatewaySessionsQuery },
  responses: {
    200: json(
      z.object({ sessions: z.array(s.GatewaySessionView), total: z.number() }),
      'The projects that other clients talk into, the last used first',
    ),
    ...failed,
  },
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

const inSets = z.object({ setId: s.Id });
const inRounds = z.object({ roundId: s.Id });
export const listQuestionSets = createRoute({
  method: 'get',
  path: '/api/question-sets',
  responses: { 200: json(z.object({ sets: z.array(s.QuestionSetView) }), 'Question sets and their rounds'), ...failed },
});
export const createQuestionSet = createRoute({
  method: 'post',
  path: '/api/question-sets',
  request: { body: body(s.CreateQuestionSet) },
  responses: { 201: json(z.object({ set: s.WholeQuestionSetView }), 'The new set'), ...failed },
});
export const getQuestionSet = createRoute({
  method: 'get',
  path: '/api/question-sets/{setId}',
  request: { params: inSets },
  responses: { 200: json(z.object({ set: s.WholeQuestionSetView }), 'The set with its questions'), ...failed },
});
export const updateQuestionSet = createRoute({
  method: 'patch',
  path: '/api/question-sets/{setId}',
  request: { params: inSets, body: body(s.UpdateQuestionSet) },
  responses: { 200: json(z.object({ set: s.WholeQuestionSetView }), 'The set as it is now'), ...failed },
});
export const deleteQuestionSet = createRoute({
  method: 'delete',
  path: '/api/question-sets/{setId}',
  request: { params: inSets },
  responses: { ...done, ...failed },
});
export const estimateRound = createRoute({
  method: 'post',
  path: '/api/question-sets/{setId}/estimate',
  request: { params: inSets, body: body(s.EstimateRound) },
  responses: { 200: json(s.RoundEstimateView, 'What a round would cost, target by target'), ...failed },
});
export const startRound = createRoute({
  method: 'post',
  path: '/api/question-sets/{setId}/rounds',
  request: { params: inSets, body: body(s.StartRound) },
  responses: { 202: json(z.object({ round: s.RoundView }), 'The round, which goes on in the background'), ...failed },
});
export const getRound = createRoute({
  method: 'get',
  path: '/api/rounds/{roundId}',
  request: { params: inRounds, query: s.RoundQuery },
  responses: { 200: json(s.RoundTableView, 'The round, and its answers as a table'), ...failed },
});
export const roundCsv = createRoute({
  method: 'get',
  path: '/api/rounds/{roundId}/answers.csv',
  request: { params: inRounds },
  responses: {
    200: { description: 'All answers, one in a line', content: { 'text/csv': { schema: z.string() } } },
    ...failed,
  },
});
export const updateRound = createRoute({
  method: 'patch',
  path: '/api/rounds/{roundId}',
  request: { params: inRounds, body: body(s.UpdateRound) },
  responses: { 200: json(z.object({ round: s.RoundView }), 'The round as it is now'), ...failed },
});
export const deleteRound = createRoute({
  method: 'delete',
  path: '/api/rounds/{roundId}',
  request: { params: inRounds },
  responses: { ...done, ...failed },
});
