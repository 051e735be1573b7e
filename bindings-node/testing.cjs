'use strict';

const { Client } = require('./lib/testing/client.js');
const { CallResult, PromptMessages, ReadResult, Subscription } = require('./lib/testing/outcomes.js');

module.exports.CallResult = CallResult;
module.exports.Client = Client;
module.exports.PromptMessages = PromptMessages;
module.exports.ReadResult = ReadResult;
module.exports.Subscription = Subscription;
