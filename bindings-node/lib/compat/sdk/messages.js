'use strict';

// The requests and notifications of the protocol, by the names that programs import.

const { MessageSchema } = require('./schemas.js');

const list = (method) => new MessageSchema(method, { cursor: 'string?' });
const about = (method) => new MessageSchema(method, { uri: 'string' });

const SubscribeResourceRequestSchema = about('resources/subscribe');
const UnsubscribeResourceRequestSchema = about('resources/unsubscribe');

module.exports = {
  ListToolsRequestSchema: list('tools/list'),
  CallToolRequestSchema: new MessageSchema('tools/call', { name: 'string', arguments: 'object?' }),
  ListResourcesRequestSchema: list('resources/list'),
  ListResourceTemplatesRequestSchema: list('resources/templates/list'),
  ReadResourceRequestSchema: about('resources/read'),
  SubscribeResourceRequestSchema,
  SubscribeRequestSchema: SubscribeResourceRequestSchema,
  UnsubscribeResourceRequestSchema,
  UnsubscribeRequestSchema: UnsubscribeResourceRequestSchema,
  ListPromptsRequestSchema: list('prompts/list'),
  GetPromptRequestSchema: new MessageSchema('prompts/get', { name: 'string', arguments: 'object?' }),
  CompleteRequestSchema: new MessageSchema('completion/complete', { ref: 'object', argument: 'object' }),
  SetLevelRequestSchema: new MessageSchema('logging/setLevel', { level: 'string' }),
  PingRequestSchema: new MessageSchema('ping'),
  InitializeRequestSchema: new MessageSchema('initialize', { protocolVersion: 'string', capabilities: 'object', clientInfo: 'object' }),
  InitializedNotificationSchema: new MessageSchema('notifications/initialized'),
  CancelledNotificationSchema: new MessageSchema('notifications/cancelled'),
  ProgressNotificationSchema: new MessageSchema('notifications/progress', { progress: 'number' }),
  RootsListChangedNotificationSchema: new MessageSchema('notifications/roots/list_changed'),
  LoggingMessageNotificationSchema: new MessageSchema('notifications/message', { level: 'string' }),
  ResourceUpdatedNotificationSchema: about('notifications/resources/updated'),
  ResourceListChangedNotificationSchema: new MessageSchema('notifications/resources/list_changed'),
  ToolListChangedNotificationSchema: new MessageSchema('notifications/tools/list_changed'),
  PromptListChangedNotificationSchema: new MessageSchema('notifications/prompts/list_changed'),
};
