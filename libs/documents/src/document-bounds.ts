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
  /** Processor time of one thread, which does not grow when the machine is busy. */
  readonly processorMilliseconds: number;
  /** Memory of the values of one thread, in MiB. */
  readonly memoryMebibytes: number;
  /**
   * Memory of the buffers of one thread, such as unpacked streams, which is beside that of its values, in MiB. An archive of
   * the largest size needs 192.
   */
  readonly bufferMebibytes: number;
}

export const documentBounds: DocumentBounds = {
  documentBytes: 33_554_432,
  unpackedBytes: 134_217_728,
  entries: 1_000,
  pages: 2_000,
  cells: 1_000_000,
  characters: 20_000_000,
  milliseconds: 60_000,
  processorMilliseconds: 20_000,
  memoryMebibytes: 768,
  bufferMebibytes: 224,
};
