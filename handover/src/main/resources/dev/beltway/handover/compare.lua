-- What keys are, so that two servers can be compared, and their removal once they are equal.
-- ARGV: READ or DROP, control database, database of the keys; for DROP also the token, the target,
-- and for each key what it was when it was compared.
local control, database = ARGV[2], ARGV[3]

local function joined(words)
  local parts = {}
  for i, word in ipairs(words) do
    parts[i] = #word .. ':' .. word
  end
  return table.concat(parts)
end

-- In an order that depends on no locale.
local function unordered(parts)
  local digests = {}
  for i, part in ipairs(parts) do
    digests[i] = redis.sha1hex(part)
  end
  table.sort(digests)
  return table.concat(digests)
end

local function paired(words)
  local pairs = {}
  for i = 1, #words, 2 do
    pairs[#pairs + 1] = #words[i] .. ':' .. words[i] .. words[i + 1]
  end
  return pairs
end

local function digest(key)
  local kind = redis.call('TYPE', key).ok
  local text
  if kind == 'none' then
    return ''
  elseif kind == 'string' then
    text = redis.call('GET', key)
  elseif kind == 'list' then
    text = joined(redis.call('LRANGE', key, 0, -1))
  elseif kind == 'set' then
    text = unordered(redis.call('SMEMBERS', key))
  elseif kind == 'hash' then
    text = unordered(paired(redis.call('HGETALL', key)))
  elseif kind == 'zset' then
    local scored = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for i = 2, #scored, 2 do -- Versions write them differently.
      scored[i] = string.format('%.17g', tonumber(scored[i]))
    end
    text = joined(scored)
  elseif kind == 'stream' then
    -- Not its dump: that differs between versions, and with what consumers have done when.
    local parts = {}
    for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
      parts[#parts + 1] = entry[1] .. joined(entry[2])
    end
    text = joined(parts) .. #redis.call('XINFO', 'GROUPS', key)
  else
    -- Types of modules, without version and check sum at the end.
    text = string.sub(redis.call('DUMP', key), 1, -11)
  end
  return kind .. redis.sha1hex(text)
end

redis.call('SELECT', database)
if ARGV[1] == 'READ' then
  local answer = {}
  for _, key in ipairs(KEYS) do
    answer[#answer + 1] = digest(key)
    answer[#answer + 1] = redis.call('PTTL', key)
  end
  return answer
end
redis.call('SELECT', control)
local text = redis.call('HGET', '__beltway:token', 'text')
if text ~= ARGV[4] then
  return redis.error_reply('BELTWAYTOKEN ' .. tostring(text))
end
redis.call('SELECT', database)
local dropped, bytes, kept = 0, 0, {}
for i, key in ipairs(KEYS) do
  local found = digest(key)
  if found ~= '' then
    if found == ARGV[5 + i] then
      bytes = bytes + redis.call('MEMORY', 'USAGE', key)
      redis.call('UNLINK', key)
      dropped = dropped + 1
    else
      kept[#kept + 1] = key
    end
  end
end
redis.call('SELECT', control)
local left = redis.pcall('HINCRBY', '__beltway:moved', ARGV[5], dropped)
local weight = redis.pcall('HINCRBY', '__beltway:moved', ARGV[5] .. ':bytes', bytes)
local answer = {type(left) == 'number' and left or 0, type(weight) == 'number' and weight or 0}
for _, key in ipairs(kept) do
  answer[#answer + 1] = key
end
return answer
