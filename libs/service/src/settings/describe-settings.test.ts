import { boolean, describeSettings, text, url } from '../index';

const definition = {
  PLAIN: text({ default: 'a', description: 'x' }),
  FLAG: boolean({ default: true, description: 'x' }),
  SECRET: text({ optional: true, secret: true, description: 'x' }),
  ADDRESS: url({ optional: true, description: 'x' }),
  UNSET: url({ optional: true, description: 'x' }),
};

test('shows values, and neither secrets nor passwords in addresses', () => {
  const values = { PLAIN: 'b', FLAG: true, SECRET: 'sk-canary', ADDRESS: 'https://user:canary@host/path' };
  const described = describeSettings(definition, values);
  expect(described).toEqual([
    { name: 'PLAIN', value: 'b', isDefault: false },
    { name: 'FLAG', value: true, isDefault: true },
    { name: 'SECRET', value: '(hidden)', isDefault: false },
    { name: 'ADDRESS', value: 'https://user:hidden@host/path', isDefault: false },
    { name: 'UNSET', value: null, isDefault: true },
  ]);
  expect(JSON.stringify(described)).not.toContain('canary');
});
