import { DatabaseUnavailableError } from '@millrace/database';
import type { Database } from '@millrace/database';
import { KeyValueUnavailableError } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';

/** A store that can be switched off, as if its server had gone. */
export interface Switch {
  isAway: boolean;
}

/** The database, while it is there. */
export function switchableDatabase(database: Database): Database & Switch {
  const state: Switch = { isAway: false };
  const whileThere = async <T>(work: () => Promise<T>): Promise<T> => {
    if (state.isAway) throw new DatabaseUnavailableError('switched off');
    return work();
  };
  return Object.assign(state, {
    query: <Row>(statement: Parameters<Database['query']>[0]) =>
      whileThere(() => database.query<Row>(statement)),
    transaction: <T>(...given: Parameters<typeof database.transaction<T>>) =>
      whileThere(() => database.transaction<T>(...given)),
    version: () => whileThere(() => database.version()),
    ping: () => whileThere(() => database.ping()),
    close: () => database.close(),
  });
}

/** The key-value store, while it is there. */
export function switchableKeyValueStore(store: KeyValueStore): KeyValueStore & Switch {
  const state: Switch = { isAway: false };
  return new Proxy(Object.assign(state, store), {
    get(target, name, receiver) {
      if (name === 'isAway') return state.isAway;
      const member: unknown = Reflect.get(store, name, store);
      if (typeof member !== 'function') return Reflect.get(target, name, receiver) as unknown;
      return (...given: unknown[]) =>
        state.isAway && name !== 'close'
          ? Promise.reject(new KeyValueUnavailableError('switched off'))
          : (Reflect.apply(member, store, given) as unknown);
    },
  });
}
