/** What every provider that takes files accepts at the same time. */
export const FIT_LIMITS = {
  /** Claude refuses larger ones as soon as a request holds more than twenty pictures, and every later request too. */
  side: 2_000,
  /** Twenty such pictures, as base64, fit into one request of 32 MB; one fits into Groq's 4 MB. */
  pictureBytes: 1_200_000,
  /** Fewer are refused by xAI. */
  leastPixels: 512,
  /** Vision models that cut pictures into tiles refuse narrower ones. */
  aspect: 200,
  /** Checked before anything is decoded: 100 megapixels are 400 MB. */
  pixels: 100_000_000,
  /** More than any model reads, and little enough to be extracted in the time. */
  pages: 2_000,
  /** A million tokens. */
  characters: 4_000_000,
} as const;

/** What the extraction of a hostile PDF may cost. */
export const PDF_BUDGET = {
  milliseconds: 30_000,
  heapMegabytes: 256,
  /** All large buffers together: streams in a PDF can inflate to a thousand times their size. */
  bufferBytes: 512 * 1024 * 1024,
} as const;
