import { DatabaseUnavailableError } from '@millrace/database';
import type { Database } from '@millrace/database';
import { KeyValueUnavailableError } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';

/** A store that can be switched off, as if its server were unreachable. */
export interface Switch {
  isAway: boolean;
}

/** A database that can also hang. */
export interface DatabaseSwitch extends Switch {
  /** While true, statements get no answer; the waiting ones fail when it becomes false. */
  isStalled: boolean;
  /** Statements and transactions that failed because of the switch. */
  refusedStatements: number;
}

const STALL_CHECK_MILLISECONDS = 5;

/** Wraps a database with a switch. */
export function switchableDatabase(database: Database): Database & DatabaseSwitch {
  const state: DatabaseSwitch = { isAway: false, isStalled: false, refusedStatements: 0 };
  const whileThere = async <T>(work: () => Promise<T>): Promise<T> => {
    const isLost = state.isStalled || state.isAway;
    while (state.isStalled) await new Promise((resolve) => setTimeout(resolve, STALL_CHECK_MILLISECONDS));
    if (isLost) {
      state.refusedStatements += 1;
      throw new DatabaseUnavailableError('switched off');
    }
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

/** Wraps a key-value store with a switch. */
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
