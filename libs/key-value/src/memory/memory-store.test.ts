import { describeKeyValueStore } from '../key-value-store.contract';
import { openMemoryStore } from './memory-store';

describeKeyValueStore('in memory', () => Promise.resolve(openMemoryStore()));

describe('the store in memory', () => {
  test('evicts the least recently used entry when it has too many entries', async () => {
    const store = openMemoryStore({ maximumEntries: 3 });
    for (const key of ['a', 'b', 'c']) await store.set(key, key);
    await store.get('a');
    await store.set('d', 'd');
    expect(await store.getMany(['a', 'b', 'c', 'd'])).toEqual(['a', null, 'c', 'd']);
  });

  test('stays below its memory limit, also with growing lists', async () => {
    const store = openMemoryStore({ maximumBytes: 10_000 });
    await store.set('text', 'x'.repeat(1_000));
    for (let round = 0; round < 30; round += 1) {
      await store.append('list', ['y'.repeat(100)], { maximumLength: 1_000, ttlMilliseconds: 10_000 });
    }
    expect(await store.range('list', 0, -1)).toHaveLength(30);
    await store.set('second', 'x'.repeat(1_000));
    expect(await store.get('text')).toBeNull();
  });

  test('does not store a value larger than its memory limit', async () => {
    const store = openMemoryStore({ maximumBytes: 1_000 });
    await store.set('small', 'x');
    await store.set('large', 'x'.repeat(5_000));
    expect(await store.getMany(['small', 'large'])).toEqual(['x', null]);
  });
});
