/** Limits for reading one document; the error names the limit that was exceeded. */
export interface DocumentBounds {
  /** Size of the stored document, in bytes. */
  readonly documentBytes: number;
  /** Unpacked size of an archive or an Office document, in bytes. */
  readonly unpackedBytes: number;
  readonly entries: number;
  readonly pages: number;
  readonly cells: number;
  /** Length of the extracted text. */
  readonly characters: number;
  readonly milliseconds: number;
  /** Memory of one thread, in MiB. */
  readonly memoryMebibytes: number;
}

export const documentBounds: DocumentBounds = {
  documentBytes: 33_554_432,
  unpackedBytes: 134_217_728,
  entries: 1_000,
  pages: 2_000,
  cells: 1_000_000,
  characters: 20_000_000,
  milliseconds: 60_000,
  memoryMebibytes: 768,
};
