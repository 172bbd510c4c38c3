import fc from 'fast-check';
import { RunMoment } from './run-moment';

const run = new RunMoment();
const at = (layer: number, outer = run): RunMoment => new RunMoment(layer, outer);

test('a layer sees earlier layers, but not itself', () => {
  expect(at(2).sees(at(1))).toBe(true);
  expect(at(1).sees(at(1))).toBe(false);
  expect(at(1).sees(at(2))).toBe(false);
});

test('a vertex sees its own actions, also from nested steps', () => {
  const vertex = at(1);
  const inside = vertex.next();
  expect([vertex.sees(vertex), vertex.sees(inside), inside.sees(vertex)]).toEqual([true, true, true]);
});

test('inside of a vertex, each step sees earlier steps', () => {
  const vertex = at(1);
  const [one, two] = [vertex.next(), vertex.next()];
  expect([two.sees(one), one.sees(two)]).toEqual([true, false]);
  expect([one.sees(one.concurrent()), two.sees(one.concurrent()), one.concurrent().sees(two)]).toEqual([
    false,
    true,
    false,
  ]);
});

test('for other vertices, nested steps count as the vertex that contains them', () => {
  const [early, late] = [at(1).next().next(), at(2).next()];
  expect([late.sees(early), early.sees(late)]).toEqual([true, false]);
  expect([at(1).next().sees(at(1).next()), at(2).sees(early), at(0).sees(early)]).toEqual([
    false,
    true,
    false,
  ]);
});

test('waits for the earlier layers of every enclosing moment, the outermost first', async () => {
  const order: string[] = [];
  const earlier = (name: string) => (): Promise<void> => Promise.resolve().then(() => void order.push(name));
  const outer = new RunMoment(1, null, earlier('outer'));
  await new RunMoment(1, outer.next(), earlier('inner')).settled();
  expect(order).toEqual(['outer', 'inner']);
});

/** Moments as paths of layers and vertices: two vertices of one layer are different. */
const paths = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 1 })), { maxLength: 4 });

test('of two moments that are not nested, at most one sees the other, as their paths determine', () => {
  const known = new Map<string, RunMoment>([['', run]]);
  const moment = (path: readonly (readonly [number, number])[]): RunMoment => {
    const last = path.at(-1);
    if (last === undefined) return run;
    const made = known.get(path.join(';')) ?? new RunMoment(last[0], moment(path.slice(0, -1)));
    known.set(path.join(';'), made);
    return made;
  };
  fc.assert(
    fc.property(paths, paths, (one, other) => {
      const fork = one.findIndex((step, index) => String(step) !== String(other[index]));
      const [mine, theirs] = [one[fork], other[fork]];
      const expected = mine === undefined || theirs === undefined ? true : theirs[0] < mine[0];
      expect(moment(one).sees(moment(other))).toBe(expected);
    }),
  );
});
