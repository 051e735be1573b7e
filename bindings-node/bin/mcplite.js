#!/usr/bin/env node
'use strict';

require('../lib/cli/main.js').start(process.argv.slice(2));
