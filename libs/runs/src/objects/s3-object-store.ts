import { elementsOf, textOf } from './answer-elements';
import type { ObjectAddress } from '@millrace/service';
import { ObjectStoreUnavailableError } from './object-store';
import type { ObjectPage, ObjectStore } from './object-store';
import { S3Exchange } from './s3-exchange';
import type { OnAnswer } from './s3-exchange';

/** The least that S3 accepts for a part that is not the last one. An upload holds one part in memory. */
const PART_BYTES = 5_242_880;
/** The most that S3 accepts; with them, an object has up to 52 GB. */
const MAXIMUM_PARTS = 10_000;
const NOT_FOUND = 404;

/** An upload in parts that has begun. */
interface Upload {
  readonly key: string;
  readonly uploadId: string;
  /** What the store named the parts, in their order. */
  readonly tags: string[];
}

/** Objects in a bucket of Amazon S3, or of a server with the same interface. */
export class S3ObjectStore implements ObjectStore {
  readonly title: string;
  readonly #exchange: S3Exchange;
  readonly #prefix: string;

  constructor(address: ObjectAddress, onAnswer?: OnAnswer) {
    this.title = `${address.bucket.href}${address.prefix}`;
    this.#exchange = new S3Exchange(address, onAnswer);
    this.#prefix = address.prefix;
  }

  async upload(key: string, content: AsyncIterable<Buffer>): Promise<number> {
    const full = this.#prefix + key;
    // One buffer for all parts: a large file would leave as many bytes to the garbage collector.
    const part = Buffer.allocUnsafeSlow(PART_BYTES);
    let filled = 0;
    let bytes = 0;
    let upload: Upload | null = null;
    try {
      for await (const given of content)
        for (let from = 0; from < given.length;) {
          const copied = given.copy(part, filled, from);
          from += copied;
          filled += copied;
          bytes += copied;
          if (filled < PART_BYTES) continue;
          upload ??= await this.#begin(full);
          await this.#addPart(upload, part);
          filled = 0;
        }
      const last = part.subarray(0, filled);
      if (upload === null) {
        await this.#exchange.send({ method: 'PUT', key: full, body: last });
        return bytes;
      }
      if (filled > 0) await this.#addPart(upload, last);
      await this.#complete(upload);
      return bytes;
    } catch (error) {
      // Best effort: the sweep discards it later.
      if (upload !== null) await this.#discard(upload).catch(() => undefined);
      throw error;
    }
  }

  async read(key: string, from: number, length: number): Promise<Buffer | null> {
    const { status, body } = await this.#exchange.send({
      method: 'GET',
      key: this.#prefix + key,
      headers: { range: `bytes=${from}-${from + length - 1}` },
      accepts: [NOT_FOUND],
    });
    if (status === NOT_FOUND) return null;
    // A server that ignores the range answers 200 with the whole object.
    if (status !== 206 && from > 0)
      throw new ObjectStoreUnavailableError(
        'The object store answered another range than the requested one.',
      );
    return body.subarray(0, length);
  }

  async delete(key: string): Promise<void> {
    await this.#exchange.send({ method: 'DELETE', key: this.#prefix + key, accepts: [NOT_FOUND] });
  }

  async list(prefix: string, next: string | null): Promise<ObjectPage> {
    const { body } = await this.#exchange.send({
      method: 'GET',
      key: '',
      query: {
        'list-type': '2',
        prefix: this.#prefix + prefix,
        ...(next === null ? {} : { 'continuation-token': next }),
      },
    });
    const text = body.toString();
    const objects = elementsOf(text, 'Contents').map((element) => ({
      key: this.#withoutPrefix(textOf(element, 'Key') ?? ''),
      modifiedAt: new Date(textOf(element, 'LastModified') ?? Number.NaN),
    }));
    const isTruncated = textOf(text, 'IsTruncated') === 'true';
    return { objects, next: isTruncated ? textOf(text, 'NextContinuationToken') : null };
  }

  async discardUploads(prefix: string, before: Date): Promise<number> {
    const { body } = await this.#exchange.send({
      method: 'GET',
      key: '',
      query: { uploads: '', prefix: this.#prefix + prefix },
    });
    let discarded = 0;
    for (const element of elementsOf(body.toString(), 'Upload')) {
      const [key, uploadId] = [textOf(element, 'Key'), textOf(element, 'UploadId')];
      const begun = new Date(textOf(element, 'Initiated') ?? Number.NaN);
      // A server that ignores the prefix also lists those of others.
      if (key === null || uploadId === null || !key.startsWith(this.#prefix + prefix) || !(begun < before))
        continue;
      await this.#discard({ key, uploadId });
      discarded += 1;
    }
    return discarded;
  }

  close(): Promise<void> {
    return this.#exchange.close();
  }

  async #begin(key: string): Promise<Upload> {
    const { body } = await this.#exchange.send({ method: 'POST', key, query: { uploads: '' } });
    const uploadId = textOf(body.toString(), 'UploadId');
    if (uploadId === null) throw new ObjectStoreUnavailableError('The object store began no upload.');
    return { key, uploadId, tags: [] };
  }

  async #addPart({ key, uploadId, tags }: Upload, body: Buffer): Promise<void> {
    if (tags.length >= MAXIMUM_PARTS)
      throw new ObjectStoreUnavailableError(`An object has at most ${MAXIMUM_PARTS * PART_BYTES} bytes.`);
    const query = { partNumber: String(tags.length + 1), uploadId };
    const { headers } = await this.#exchange.send({ method: 'PUT', key, query, body });
    if (typeof headers['etag'] !== 'string')
      throw new ObjectStoreUnavailableError('The object store named no part.');
    tags.push(headers['etag']);
  }

  async #discard({ key, uploadId }: Pick<Upload, 'key' | 'uploadId'>): Promise<void> {
    await this.#exchange.send({ method: 'DELETE', key, query: { uploadId }, accepts: [NOT_FOUND] });
  }

  async #complete({ key, uploadId, tags }: Upload): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    );
    const { status, body } = await this.#exchange.send({
      method: 'POST',
      key,
      query: { uploadId },
      body: Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`),
      accepts: [NOT_FOUND],
    });
    // The answer begins before the work ends, so that an error can follow the status 200.
    if (status !== NOT_FOUND && textOf(body.toString(), 'Code') === null) return;
    // An earlier attempt can have completed it without its answer having arrived.
    if (status === NOT_FOUND && (await this.#exists(key))) return;
    throw new ObjectStoreUnavailableError('The object store did not complete an upload.');
  }

  async #exists(key: string): Promise<boolean> {
    const headers = { range: 'bytes=0-0' };
    const { status } = await this.#exchange.send({ method: 'GET', key, headers, accepts: [NOT_FOUND] });
    return status !== NOT_FOUND;
  }

  #withoutPrefix(key: string): string {
    return key.startsWith(this.#prefix) ? key.slice(this.#prefix.length) : key;
  }
}
