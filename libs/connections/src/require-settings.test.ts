import { requireSettings } from './require-settings';

test('returns the settings when all are set, and names every missing one', () => {
  const settings: { a: string | undefined; b: number | undefined } = { a: 'x', b: undefined };
  expect(requireSettings(settings, ['a']).a.length).toBe(1);
  expect(() => requireSettings({ ...settings, a: undefined }, ['a', 'b'])).toThrow(
    /a must be set[^]*b must be set/,
  );
});
