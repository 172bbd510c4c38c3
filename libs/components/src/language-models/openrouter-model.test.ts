import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('OpenRouterComponent', {
  baseUrlField: 'base_url',
  apiKeyField: 'api_key',
  path: '',
  values: { site_url: 'https://site.example', app_name: 'An App' },
  headers: { 'http-referer': 'https://site.example', 'x-title': 'An App' },
});
