/** What the page asks the frame that draws, and what it answers. */
export interface DiagramRequest {
  readonly id: number;
  readonly source: string;
  readonly isDark: boolean;
}

export type DiagramAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly svg: string | null };
