import { z } from '@hono/zod-openapi';
import { ContentBlock, Id, LIMITS } from './common.ts';

/** SHA-256 of the bytes, in lower-case hexadecimal. */
export const BlobHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case');

/** Directories in it are taken off; a server would not know where they are. */
const FileName = z.string().min(1).max(LIMITS.fileNameCharacters);

export const UploadQuery = z.object({ name: FileName });
export const BlobQuery = z.object({
  /** The project that refers to it; absent for what was uploaded in the last two days. */
  project: Id.optional(),
  /** What a download is called. */
  name: FileName.optional(),
});

export const UploadView = z
  .object({
    /** Goes into the content of a message as it is. */
    block: ContentBlock,
    /** What a person should know: that only the first frame is sent, for example. */
    notes: z.array(
      z.object({
        code: z.enum(['first_frame', 'first_page', 'no_text', 'text_cut', 'not_utf8']),
        message: z.string(),
        /** Of how many pages the text was taken out. */
        pages: z.number().int().optional(),
      }),
    ),
  })
  .openapi('Upload');
