import type { HeartbeatLine } from '@bough/core';
import type { z } from '@hono/zod-openapi';
import type * as s from './schemas/index.ts';

// The shapes that cross the API, for clients: types only, so that a page does not load the schemas.

export type ProjectView = z.infer<typeof s.ProjectView>;
export type ProjectDetailsView = z.infer<typeof s.ProjectDetails>;
export type PresetView = z.infer<typeof s.PresetView>;
export type PromptView = z.infer<typeof s.PromptView>;
export type TitleModelView = z.infer<typeof s.TitleModel>;
export type ListedProjectView = z.infer<typeof s.ListedProjectView>;
export type ProjectListView = z.infer<typeof s.ProjectList>;
export type BranchView = z.infer<typeof s.BranchView>;
export type ModelNoticeView = z.infer<typeof s.ModelNoticeView>;
export type NodeView = z.infer<typeof s.NodeView>;
export type CallView = z.infer<typeof s.CallView>;
export type MessageGroupView = z.infer<typeof s.MessageGroupView>;
export type HistoryView = z.infer<typeof s.HistoryView>;
export type CompactionPreview = z.infer<typeof s.CompactionPreview>;
export type CompactedView = z.infer<typeof s.Compacted>;
export type SummaryView = z.infer<typeof s.SummaryView>;
export type MergePreview = z.infer<typeof s.MergePreview>;
export type MergedView = z.infer<typeof s.Merged>;
export type MergeView = z.infer<typeof s.MergeView>;
export type MergeInput = z.input<typeof s.Merge>;
export type MergePreviewInput = z.input<typeof s.MergeRequest>;
export type CompactionInput = z.input<typeof s.CompactionRequest>;
export type CompactInput = z.input<typeof s.Compact>;
export type ContextReport = z.infer<typeof s.ContextReport>;
export type ContextView = z.infer<typeof s.ContextView>;
export type GraphView = z.infer<typeof s.GraphView>;
export type RawView = z.infer<typeof s.RawView>;
export type ProviderView = z.infer<typeof s.ProviderView>;
export type ModelView = z.infer<typeof s.ModelView>;
export type ProviderCheckView = z.infer<typeof s.ProviderCheckView>;
export type DeploymentView = z.infer<typeof s.DeploymentView>;
export type DeploymentListView = z.infer<typeof s.DeploymentList>;
export type McpServerView = z.infer<typeof s.McpServerView>;
export type McpServerListView = z.infer<typeof s.McpServerList>;
export type BudgetView = z.infer<typeof s.BudgetView>;
export type BudgetListView = z.infer<typeof s.BudgetList>;
export type ApprovalPolicy = z.infer<typeof s.ApprovalPolicy>;
export type ToolView = z.infer<typeof s.ToolView>;
export type CostsInput = z.input<typeof s.CostsQuery>;
export type CostRow = z.infer<typeof s.CostRow>;
export type CostsView = z.infer<typeof s.CostsView>;
export type CallMoneyView = z.infer<typeof s.CallMoney>;
export type EstimateView = z.infer<typeof s.EstimateView>;
export type DiagnosticsView = z.infer<typeof s.DiagnosticsView>;
export type GatewayView = z.infer<typeof s.GatewayView>;
export type GatewaySessionView = z.infer<typeof s.GatewaySessionView>;
export type RecordedCallView = z.infer<typeof s.RecordedCallView>;
export type ExchangeView = z.infer<typeof s.ExchangeView>;
export type SearchView = z.infer<typeof s.SearchView>;
export type SearchHitView = SearchView['hits'][number];
export type SearchInput = z.input<typeof s.SearchQuery> & { readonly limit?: number };
export type DeletionView = z.infer<typeof s.DeletionView>;
export type AnnotationView = z.infer<typeof s.AnnotationView>;
export type ListedAnnotation = z.infer<typeof s.ListedAnnotation>;
export type AnnotationsInput = z.input<typeof s.AnnotationsQuery> & {
  readonly limit?: number;
  readonly offset?: number;
};
export type AnnotateNodeInput = z.input<typeof s.AnnotateNode>;
export type AskInput = z.input<typeof s.Ask>;
export type QuestionView = z.infer<typeof s.QuestionView>;
export type AskedView = z.infer<typeof s.AskedView>;
export type JudgeInput = z.input<typeof s.Judge>;
export type ModelResult = z.infer<typeof s.ModelResult>;
export type CanvasView = z.infer<typeof s.CanvasView>;
export type CanvasVersionView = z.infer<typeof s.CanvasVersionView>;
export type MergedCanvasView = z.infer<typeof s.MergedCanvasView>;
export type WriteCanvasInput = z.input<typeof s.WriteCanvas>;
export type MergeCanvasInput = z.input<typeof s.MergeCanvas>;
export type TrashEntryView = z.infer<typeof s.TrashEntryView>;
export type HealthView = z.infer<typeof s.Health>;
export type AppendedView = z.infer<typeof s.AppendedView>;
export type ImportReport = z.infer<typeof s.ImportReportView>;
export type ImportLine = z.infer<typeof s.ImportLine>;
export type UploadView = z.infer<typeof s.UploadView>;
export type ProblemView = z.infer<typeof s.Problem>;

export type ListProjectsInput = {
  readonly limit?: number;
  readonly offset?: number;
  /** A part of the name, ignoring case. */
  readonly search?: string;
  /** The beginning of the id. */
  readonly id?: string;
  readonly archived?: boolean;
  readonly pinned?: boolean;
  /** Only projects in this folder; empty: only those in none. */
  readonly folder?: string;
};
export type GraphInput = {
  /** The last node that the client has, and how many it has. */
  readonly after?: string;
  readonly count?: number;
  /** Every node, this many at a time. */
  readonly limit?: number;
  /** The branch that somebody looks at. */
  readonly ref?: string;
  /** Nodes with commas between them. */
  readonly open?: string;
};
export type CreateProjectInput = z.input<typeof s.CreateProject>;
export type UpdateProjectInput = z.input<typeof s.UpdateProject>;
export type CreatePresetInput = z.input<typeof s.CreatePreset>;
export type UpdatePresetInput = z.input<typeof s.UpdatePreset>;
export type CreatePromptInput = z.input<typeof s.CreatePrompt>;
export type UpdatePromptInput = z.input<typeof s.UpdatePrompt>;
export type CreateBranchInput = z.input<typeof s.CreateBranch>;
export type UpdateBranchInput = z.input<typeof s.UpdateBranch>;
export type ChatInput = z.input<typeof s.Chat>;
export type EditInput = z.input<typeof s.Edit>;
export type RegenerateInput = z.input<typeof s.Regenerate>;
export type AskAboutInput = z.input<typeof s.AskAbout>;
export type AskTargetInput = z.input<typeof s.AskTarget>;
export type AskedAboutView = z.infer<typeof s.AskedAboutView>;
export type AskEstimate = z.infer<typeof s.AskEstimate>;
export type KeepInput = z.input<typeof s.Keep>;
export type KeptView = z.infer<typeof s.KeptView>;
export type ContinueInput = z.input<typeof s.Continue>;
export type InterruptInput = z.input<typeof s.Interrupt>;
export type ApproveInput = z.input<typeof s.Approve>;
export type ContextInput = z.input<typeof s.ContextRequest>;
export type ContextReportInput = z.input<typeof s.ContextReportRequest>;
export type DeploymentInput = z.input<typeof s.DeploymentDraft>;
export type McpServerInput = z.input<typeof s.McpServerDraft>;
export type BudgetInput = z.input<typeof s.BudgetEntry>;
export type AppendInput = z.input<typeof s.AppendMessages>;
export type MessageContentInput = z.input<typeof s.MessageContent>;
export type InterruptedView = z.infer<typeof s.Interrupted>;
export type ImportInput = z.input<typeof s.ImportQuery>;
export type ExportInput = z.input<typeof s.ExportQuery>;
export type StartedTurnsView = z.infer<typeof s.StartedTurns>;
export type ProviderListView = z.infer<typeof s.ProviderList>;

/** A turn that began, ended or waits for an approval, and where that is. */
export interface TurnNews {
  readonly projectId: string;
  readonly projectName: string;
  readonly branchId: string;
  /** The branch's name. */
  readonly branch: string;
  readonly turnId: string;
  readonly status: 'running' | 'awaiting_approval' | 'complete' | 'error' | 'interrupted';
}

/** A line of `/api/watch`. */
export type WatchLine =
  /** First: every turn that runs or waits for an approval. */
  | { readonly type: 'open'; readonly turns: readonly TurnNews[] }
  | ({ readonly type: 'turn' } & TurnNews)
  /** The project that is watched changed; with `turnIds`, nothing but that these turns began or ended. */
  | { readonly type: 'changed'; readonly turnIds?: readonly string[] }
  | HeartbeatLine;
export type DatasetInput = z.input<typeof s.DatasetQuery>;
export type DatasetCountView = z.infer<typeof s.DatasetCountView>;
export type CreateQuestionSetInput = z.input<typeof s.CreateQuestionSet>;
export type UpdateQuestionSetInput = z.input<typeof s.UpdateQuestionSet>;
export type QuestionSetView = z.infer<typeof s.QuestionSetView>;
export type WholeQuestionSetView = z.infer<typeof s.WholeQuestionSetView>;
export type RoundView = z.infer<typeof s.RoundView>;
export type EstimateRoundInput = z.input<typeof s.EstimateRound>;
export type RoundEstimateView = z.infer<typeof s.RoundEstimateView>;
export type StartRoundInput = z.input<typeof s.StartRound>;
export type UpdateRoundInput = z.input<typeof s.UpdateRound>;
export type RoundTableView = z.infer<typeof s.RoundTableView>;
