import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { member, objectsMember } from '../http/json-members';
import { batches } from '../http/batches';
import type { FoundText, StoredText, StoreSearch, VectorStore } from '../vector-stores/vector-store';
import { sendAstraCommand } from './astra-command';
import { astraDocument, textFromAstra, layoutOf } from './astra-document';
import type { AstraLayout } from './astra-document';
import { AstraError } from './astra-error';
import { astraFilter } from './astra-filter';
import type { AstraAccess } from './astra-access';

export interface AstraSettings {
  readonly access: AstraAccess;
  readonly collection: string;
  /** True when Astra makes the vectors. */
  readonly vectorize: boolean;
  /** Empty: the content field of the collection's documents. */
  readonly contentField: string;
  /** The content field in an empty collection. */
  readonly defaultContentField: string;
  readonly ignoreInvalid: boolean;
  readonly filter: PythonObject;
  /** Search words and vectors; a model of Astra ranks the results. */
  readonly hybrid: boolean;
  /** The search words; empty: those of the query. */
  readonly lexicalTerms: string;
  /** Before new texts are added, delete documents with the same value in this metadata field; empty: none. */
  readonly deletionField: string;
  /** Delete all documents before new ones are stored. */
  readonly clearsFirst: boolean;
  /** Options of a new collection besides the size of its vectors: `metric`, `service`. */
  readonly newCollection: PythonObject;
}

/** Astra accepts at most this many documents at once. */
const maximumDocuments = 50;
/** The limit of a page of results; a vector search has only one page. */
const maximumResults = 1000;

/** Fields that begin with a dollar sign are returned only with this projection. */
const allFields = { '*': true };

/** A collection of Astra DB. */
export class AstraStore implements VectorStore {
  readonly #settings: AstraSettings;
  readonly #context: ComponentContext;
  #layout: Promise<AstraLayout> | null = null;

  constructor(settings: AstraSettings, context: ComponentContext) {
    if (settings.collection === '') throw new ComponentError('Astra DB needs the name of a collection.');
    this.#settings = settings;
    this.#context = context;
  }

  get makesVectors(): boolean {
    return this.#settings.vectorize;
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    const { deletionField, clearsFirst, hybrid } = this.#settings;
    const layout = await this.#resolveLayout(texts);
    const prefix = layout.flat ? '' : 'metadata.';
    if (clearsFirst) await this.#delete({});
    else if (deletionField !== '') {
      const values = texts.flatMap(({ metadata }) => metadata[deletionField] ?? []);
      await this.#delete({ [`${prefix}${deletionField}`]: { $in: [...new Set(values)] } });
    }
    for (const batch of batches(texts, maximumDocuments)) {
      await this.#insert(batch.map((text) => astraDocument(text, layout, hybrid)));
    }
  }

  async search(search: StoreSearch): Promise<readonly FoundText[]> {
    const { hybrid, vectorize } = this.#settings;
    const near = vectorize ? { $vectorize: search.text } : { $vector: [...(search.vector ?? [])] };
    if (hybrid) return this.#hybridSearch(search, near);
    return this.#find({
      sort: near,
      projection: allFields,
      options: { limit: Math.min(search.limit, maximumResults), includeSimilarity: true },
    });
  }

  /** Returns documents that match the filter, in no defined order. */
  browse(limit: number): Promise<readonly FoundText[]> {
    return this.#find({
      projection: allFields,
      options: { limit: Math.min(limit, maximumResults) },
    });
  }

  async #hybridSearch(search: StoreSearch, near: PythonObject): Promise<readonly FoundText[]> {
    const { lexicalTerms, contentField, defaultContentField, vectorize } = this.#settings;
    const rerank = vectorize ? {} : { rerankOn: contentField || defaultContentField };
    return this.#find(
      {
        sort: { $hybrid: { ...near, $lexical: lexicalTerms || search.text } },
        projection: allFields,
        options: { limit: search.limit, rerankQuery: search.text, ...rerank },
      },
      'findAndRerank',
    );
  }

  async #find(payload: PythonObject, name = 'find'): Promise<readonly FoundText[]> {
    const { filter, contentField, ignoreInvalid } = this.#settings;
    const layout = Object.keys(filter).length === 0 ? null : await this.#resolveLayout([]);
    const wanted = layout === null ? {} : { filter: astraFilter(filter, layout.flat) };
    const answer = await this.#send(name, { ...wanted, ...payload });
    return objectsMember(answer, 'data', 'documents').flatMap(
      (document) => textFromAstra(document, contentField, ignoreInvalid) ?? [],
    );
  }

  /** Returns the layout of the collection's documents; creates a missing collection for new texts. */
  #resolveLayout(texts: readonly StoredText[]): Promise<AstraLayout> {
    this.#layout ??= this.#sampleLayout(texts);
    return this.#layout;
  }

  async #sampleLayout(texts: readonly StoredText[]): Promise<AstraLayout> {
    const { contentField, defaultContentField, vectorize } = this.#settings;
    const defaultLayout = {
      contentField: vectorize ? '$vectorize' : contentField || defaultContentField,
      flat: false,
    };
    try {
      const answer = await this.#send('find', { projection: allFields, options: { limit: 1 } });
      const [sample] = objectsMember(answer, 'data', 'documents');
      return sample === undefined ? defaultLayout : layoutOf(sample, vectorize ? '$vectorize' : contentField);
    } catch (error) {
      const [first] = texts;
      if (first === undefined || !isMissingCollection(error)) throw error;
      await this.#create(first);
      return defaultLayout;
    }
  }

  async #create({ vector }: StoredText): Promise<void> {
    const { collection, newCollection } = this.#settings;
    const dimension = vector === null ? {} : { dimension: vector.length };
    await sendAstraCommand(
      this.#settings.access,
      {
        name: 'createCollection',
        collection: null,
        payload: {
          name: collection,
          options: {
            vector: { metric: 'cosine', ...newCollection, ...dimension },
            indexing: { allow: ['metadata'] },
          },
        },
      },
      this.#context,
    );
  }

  async #insert(documents: readonly PythonObject[]): Promise<void> {
    try {
      await this.#send('insertMany', { documents, options: { ordered: false } });
    } catch (error) {
      if (!containsOnlyDuplicates(error)) throw error;
      for (const document of documents) {
        await this.#send('findOneAndReplace', {
          filter: { _id: document['_id'] ?? null },
          replacement: document,
          options: { upsert: true },
        });
      }
    }
  }

  /** Astra deletes in batches and reports whether there are more. */
  async #delete(filter: PythonObject): Promise<void> {
    for (let more = true; more;) {
      const answer = await this.#send('deleteMany', { filter });
      more = member(answer, 'status', 'moreData') === true;
    }
  }

  #send(name: string, payload: PythonObject) {
    const { access, collection } = this.#settings;
    return sendAstraCommand(access, { name, collection, payload }, this.#context);
  }
}

function isMissingCollection(error: unknown): boolean {
  return error instanceof AstraError && error.errorCodes.includes('COLLECTION_NOT_EXIST');
}

function containsOnlyDuplicates(error: unknown): boolean {
  return error instanceof AstraError && error.errorCodes.every((code) => code === 'DOCUMENT_ALREADY_EXISTS');
}
