import { SharedPlaces } from './shared-places';

test('one user takes no more than a share of the places, and a place that is free can be taken again', () => {
  const places = new SharedPlaces({ maximum: 3 });
  const [first, second] = [places.take({ one: 2 }), places.take({ one: 2 })];
  expect(places.take({ one: 2 })).toBeNull();
  const other = places.take({ two: 2 });
  expect(places.take({ three: 2 })).toBeNull();
  first?.();
  first?.();
  expect(places.take({ three: 2 })).not.toBeNull();
  expect(places.take({ one: 2 })).toBeNull();
  second?.();
  other?.();
  expect([places.take({ one: 2 }), places.take({ one: 2 }), places.take({ one: 2 })]).toEqual([
    expect.any(Function),
    expect.any(Function),
    null,
  ]);
});

test('a place can count towards several shares', () => {
  const places = new SharedPlaces({ maximum: 10 });
  expect(places.take({ user: 2, flow: 1 })).not.toBeNull();
  expect(places.take({ user: 2, flow: 1 })).toBeNull();
  expect(places.take({ user: 2, other: 1 })).not.toBeNull();
  expect(places.take({ user: 2 })).toBeNull();
});
