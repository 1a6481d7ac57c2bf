/** Bytes in a file on disk, not yet in the blob store. */
export interface FittedFile {
  readonly path: string;
  readonly mediaType: string;
  readonly size: number;
}

export interface FittedText extends FittedFile {
  readonly characters: number;
}

interface Parts {
  readonly name: string;
  /** What is sent. */
  readonly file: FittedFile;
  /** As it was given, where that is something else. */
  readonly original?: FittedFile;
  readonly notes: readonly FitNote[];
}

/** What a person should know about what became of a file: a code for programs, and a sentence for everybody else. */
export interface FitNote {
  /**
   * Of frames or pages only the first is sent; a PDF without text; one of which only the first pages became text; what
   * seems to be a text, in an encoding that nobody can know.
   */
  readonly code: 'first_frame' | 'first_page' | 'no_text' | 'text_cut' | 'not_utf8';
  readonly message: string;
  /** Of how many pages the text was taken out. */
  readonly pages?: number;
}

/** What an attached file becomes, before its bytes have their place in the blob store. */
export type Fitted =
  | (Parts & { readonly type: 'image'; readonly width: number; readonly height: number })
  | (Parts & { readonly type: 'document'; readonly pages: number; readonly text?: FittedText })
  | (Parts & { readonly type: 'audio'; readonly seconds?: number })
  | (Parts & { readonly type: 'file'; readonly text?: FittedText });

/** A file as it was given. */
export interface Given {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  /** Where new files may be written; whoever calls removes it. */
  readonly directory: string;
}
