import { serviceAddress } from './service-address';

test.each([
  ['host:8080/', 'https://host:8080'],
  [' http://host/a/ ', 'http://host/a'],
])('completes %j', (text, address) => {
  expect(serviceAddress(text, 'It')).toBe(address);
});

test.each([
  ['', 'It needs an address; the field for it is empty.'],
  ['ftp://host', 'The address of It is not a web address.'],
  ['https://host/a?key=1', 'The address of It must not have a query.'],
])('refuses %j', (text, message) => {
  expect(() => serviceAddress(text, 'It')).toThrow(message);
});
