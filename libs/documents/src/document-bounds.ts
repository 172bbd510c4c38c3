/** What reading one document may cost at most; beyond it the reader says which bound it was. */
export interface DocumentBounds {
  /** Of the document as it is stored, in bytes. */
  readonly documentBytes: number;
  /** Of what an archive, or an office document, which is one, holds unpacked, in bytes. */
  readonly unpackedBytes: number;
  readonly entries: number;
  readonly pages: number;
  readonly cells: number;
  /** Of the text that comes out. */
  readonly characters: number;
  readonly milliseconds: number;
  /** Of one thread, in MiB. */
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
