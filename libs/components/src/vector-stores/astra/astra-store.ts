import { ComponentError } from '@millrace/flow';
import type { ComponentContext, PythonObject } from '@millrace/flow';
import { member, objectsMember } from '../../http/json-members';
import { batches } from '../batches';
import type { FoundText, StoredText, StoreSearch, VectorStore } from '../vector-store';
import { sendAstraCommand } from './astra-command';
import { astraDocument, foundInAstra, layoutOf } from './astra-document';
import type { AstraLayout } from './astra-document';
import { AstraError } from './astra-error';
import { astraFilter } from './astra-filter';
import type { AstraPlace } from './astra-place';

export interface AstraSettings {
  readonly place: AstraPlace;
  readonly collection: string;
  /** Astra makes the vectors of texts. */
  readonly vectorize: boolean;
  /** Empty: what the collection's documents have. */
  readonly contentField: string;
  /** What documents of an empty collection get. */
  readonly usualContentField: string;
  readonly ignoreInvalid: boolean;
  readonly filter: PythonObject;
  /** Words and vectors are searched, and a model of Astra's puts the results in order. */
  readonly hybrid: boolean;
  /** Words to search for besides, empty: those of the query. */
  readonly lexicalTerms: string;
  /** Documents with the value of a new one in this field of the metadata go first; empty: none. */
  readonly deletionField: string;
  /** All documents go before new ones are stored. */
  readonly emptiedFirst: boolean;
  /** What a new collection is made with besides the size of its vectors: `metric`, `service`. */
  readonly newCollection: PythonObject;
}

/** Astra takes at most so many documents at once. */
const mostDocuments = 50;
/** Of one page of results, of which there is no second one in a search by vector. */
const mostResults = 1000;

/** Fields that begin with a dollar sign come with this alone. */
const everything = { '*': true };

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

  get embedsItself(): boolean {
    return this.#settings.vectorize;
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    const { deletionField, emptiedFirst, hybrid } = this.#settings;
    const layout = await this.#foundLayout(texts);
    const prefix = layout.flat ? '' : 'metadata.';
    if (emptiedFirst) await this.#delete({});
    else if (deletionField !== '') {
      const values = texts.flatMap(({ metadata }) => metadata[deletionField] ?? []);
      await this.#delete({ [`${prefix}${deletionField}`]: { $in: [...new Set(values)] } });
    }
    for (const batch of batches(texts, mostDocuments)) {
      await this.#insert(batch.map((text) => astraDocument(text, layout, hybrid)));
    }
  }

  async search(search: StoreSearch): Promise<readonly FoundText[]> {
    const { hybrid, vectorize } = this.#settings;
    const near = vectorize ? { $vectorize: search.text } : { $vector: [...(search.vector ?? [])] };
    if (hybrid) return this.#hybridSearch(search, near);
    return this.#find({
      sort: near,
      projection: everything,
      options: { limit: Math.min(search.limit, mostResults), includeSimilarity: true },
    });
  }

  /** Documents that the filter lets through, in no order. */
  browse(limit: number): Promise<readonly FoundText[]> {
    return this.#find({
      projection: everything,
      options: { limit: Math.min(limit, mostResults) },
    });
  }

  async #hybridSearch(search: StoreSearch, near: PythonObject): Promise<readonly FoundText[]> {
    const { lexicalTerms, contentField, usualContentField, vectorize } = this.#settings;
    const rerank = vectorize ? {} : { rerankOn: contentField || usualContentField };
    return this.#find(
      {
        sort: { $hybrid: { ...near, $lexical: lexicalTerms || search.text } },
        projection: everything,
        options: { limit: search.limit, rerankQuery: search.text, ...rerank },
      },
      'findAndRerank',
    );
  }

  async #find(payload: PythonObject, name = 'find'): Promise<readonly FoundText[]> {
    const { filter, contentField, ignoreInvalid } = this.#settings;
    const layout = Object.keys(filter).length === 0 ? null : await this.#foundLayout([]);
    const wanted = layout === null ? {} : { filter: astraFilter(filter, layout.flat) };
    const answer = await this.#send(name, { ...wanted, ...payload });
    return objectsMember(answer, 'data', 'documents').flatMap(
      (document) => foundInAstra(document, contentField, ignoreInvalid) ?? [],
    );
  }

  /** How the collection's documents look, and for new texts a collection if there is none. */
  #foundLayout(texts: readonly StoredText[]): Promise<AstraLayout> {
    this.#layout ??= this.#sampleLayout(texts);
    return this.#layout;
  }

  async #sampleLayout(texts: readonly StoredText[]): Promise<AstraLayout> {
    const { contentField, usualContentField, vectorize } = this.#settings;
    const usual = { contentField: vectorize ? '$vectorize' : contentField || usualContentField, flat: false };
    try {
      const answer = await this.#send('find', { projection: everything, options: { limit: 1 } });
      const [sample] = objectsMember(answer, 'data', 'documents');
      return sample === undefined ? usual : layoutOf(sample, vectorize ? '$vectorize' : contentField);
    } catch (error) {
      const [first] = texts;
      if (first === undefined || !isMissingCollection(error)) throw error;
      await this.#create(first);
      return usual;
    }
  }

  async #create({ vector }: StoredText): Promise<void> {
    const { collection, newCollection } = this.#settings;
    const dimension = vector === null ? {} : { dimension: vector.length };
    await sendAstraCommand(
      this.#settings.place,
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
      if (!isOnlyAlreadyThere(error)) throw error;
      for (const document of documents) {
        await this.#send('findOneAndReplace', {
          filter: { _id: document['_id'] ?? null },
          replacement: document,
          options: { upsert: true },
        });
      }
    }
  }

  /** Astra deletes some at a time, and says whether there are more. */
  async #delete(filter: PythonObject): Promise<void> {
    for (let more = true; more;) {
      const answer = await this.#send('deleteMany', { filter });
      more = member(answer, 'status', 'moreData') === true;
    }
  }

  #send(name: string, payload: PythonObject) {
    const { place, collection } = this.#settings;
    return sendAstraCommand(place, { name, collection, payload }, this.#context);
  }
}

function isMissingCollection(error: unknown): boolean {
  return error instanceof AstraError && error.errorCodes.includes('COLLECTION_NOT_EXIST');
}

function isOnlyAlreadyThere(error: unknown): boolean {
  return error instanceof AstraError && error.errorCodes.every((code) => code === 'DOCUMENT_ALREADY_EXISTS');
}
