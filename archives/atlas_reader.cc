// The reading half of archives/atlas_stream.h.
#include <fmt/format.h>

#include "archives/atlas_header.h"
#include "archives/atlas_pack.h"
#include "archives/atlas_stream.h"
#include "archives/atlas_values.h"

namespace kernatlas::archives {
namespace {

constexpr std::size_t kMaxNumbers = std::size_t{1} << 25;  // of each list
constexpr const char* kOtherProgram =
    "the checksum is right, so the program that wrote it is at fault";

enum class Field {
  unknown,
  cell,
  rank,
  id,
  objective,
  low,
  high,
  size,
  samples,
  measures,
  costs,
  key,
  payload,
  origin
};

Field field_of(std::string_view name) {
  constexpr std::pair<std::string_view, Field> kFields[] = {
      {"cell", Field::cell},           {"rank", Field::rank},       {"id", Field::id},
      {"objective", Field::objective}, {"low", Field::low},         {"high", Field::high},
      {"size", Field::size},           {"samples", Field::samples}, {"measures", Field::measures},
      {"costs", Field::costs},         {"key", Field::key},         {"payload", Field::payload},
      {"origin", Field::origin}};
  for (const auto& [each, field] : kFields) {
    if (each == name) return field;
  }
  return Field::unknown;
}

std::vector<Field> layout(const std::vector<std::string>& names) {
  std::vector<Field> fields;
  for (const std::string& name : names) fields.push_back(field_of(name));
  return fields;
}

class Reader {
 public:
  Reader(ByteSource& source, AtlasVisitor& visitor) : blocks_(source), visitor_(visitor) {}

  Expected<AtlasTotals> run() {
    if (auto begun = blocks_.begin(); !begun) return fail(begun.error());
    for (;;) {
      const auto block = blocks_.next();
      if (!block) return fail(block.error());
      if (!*block) break;
      if (auto read = read_block(**block); !read) return fail(read.error());
      if (stopped_) return totals_;
      ++count_;
    }
    if (ended_) return totals_;
    return fail({.message = "the file ends without its last block",
                 .offset = blocks_.offset(),
                 .expected = "a block \"END \"",
                 .hint = "it was cut off: take another copy"});
  }

 private:
  Expected<void> read_block(const Block& block) {
    if (ended_) return fail(wrong(block, "something follows the last block"));
    if (count_ == 0 && block.tag != "HEAD") return fail(wrong(block, "the first block is no HEAD"));
    const bool known = block.tag == "HEAD" || block.tag == "NUMS" || block.tag == "BLOB" ||
                       block.tag == "ELIT" || block.tag == "PROP" || block.tag == "END ";
    if (!known && block.optional()) return {};
    if (!known) {
      return fail({.message = fmt::format("there is a block \"{}\"", block.tag),
                   .offset = block.offset,
                   .expected = "HEAD, NUMS, BLOB, ELIT, PROP or END",
                   .hint = "use a later version of the program"});
    }
    if (block.deflated && block.tag != "BLOB") return fail(wrong(block, "it is deflated"));
    if (auto parsed = values_.parse(block.content); !parsed) {
      AtlasError error = parsed.error();
      error.message = fmt::format("in block \"{}\": {}", block.tag, error.message);
      error.offset = block.offset + kBlockHeaderBytes + error.offset.value_or(0);
      error.hint = kOtherProgram;
      return fail(std::move(error));
    }
    if (block.tag == "HEAD") return read_head(block);
    if (block.tag == "NUMS") return read_numbers(block);
    if (auto told = tell_header(); !told || stopped_) return told;
    if (block.tag == "BLOB") return read_blobs(block);
    if (block.tag == "ELIT") return read_elites(block);
    if (block.tag == "PROP") return read_proposals(block);
    return read_end(block);
  }

  static AtlasError wrong(const Block& block, std::string_view what) {
    return {.message = fmt::format("in block \"{}\": {}", block.tag, what),
            .offset = block.offset,
            .hint = kOtherProgram};
  }

  Expected<void> read_head(const Block& block) {
    if (count_ != 0) return fail(wrong(block, "there is a second HEAD"));
    RecordFields fields;
    if (!decode_header(values_, header_, fields)) return fail(wrong(block, values_.problem()));
    elite_fields_ = layout(fields.elite);
    proposal_fields_ = layout(fields.proposal);
    return {};
  }

  Expected<void> read_numbers(const Block& block) {
    if (header_told_) return fail(wrong(block, "it comes after the first record"));
    std::string name;
    std::vector<double> numbers;
    const std::size_t pairs = values_.map();
    for (std::size_t i = 0; i < pairs && values_.ok(); ++i) {
      const std::string_view key = values_.text();
      if (key == "name") {
        name = values_.text();
      } else if (key == "values") {
        const std::size_t size = values_.array();
        for (std::size_t j = 0; j < size && values_.ok(); ++j) numbers.push_back(values_.number());
      } else {
        values_.skip();
      }
    }
    if (!values_.ok()) return fail(wrong(block, values_.problem()));
    if (name != "points" && name != "extra") return {};
    std::vector<double>& list = name == "points" ? header_.spec.points : header_.extra;
    if (numbers.size() > kMaxNumbers - list.size()) return fail(wrong(block, "too many numbers"));
    list.insert(list.end(), numbers.begin(), numbers.end());
    return {};
  }

  Expected<void> tell_header() {
    if (header_told_) return {};
    header_told_ = true;
    axes_ = header_.spec.axes.size();
    stopped_ = !visitor_.header(std::move(header_));
    return {};
  }

  Expected<void> read_blobs(const Block& block) {
    const std::size_t size = values_.array();
    for (std::size_t i = 0; i < size && values_.ok() && !stopped_; ++i) {
      const std::string_view text = values_.text_or_bytes();
      if (values_.ok()) stopped_ = !visitor_.blob(totals_.blobs++, text);
    }
    return finish(block);
  }

  Expected<void> read_elites(const Block& block) {
    const std::size_t size = values_.array();
    for (std::size_t i = 0; i < size && values_.ok() && !stopped_; ++i) {
      Elite elite;
      AtlasRecord record;
      bool interval = false;
      const std::size_t members = values_.array();
      for (std::size_t j = 0; j < members && values_.ok(); ++j) {
        const Field field = j < elite_fields_.size() ? elite_fields_[j] : Field::unknown;
        interval = interval || field == Field::low;
        read_member(field, elite, record);
      }
      if (values_.ok() && members < elite_fields_.size()) values_.fail("members are missing");
      if (values_.ok() && elite.entry.measures.size() != axes_) {
        values_.fail(fmt::format("{} measures for {} axes", elite.entry.measures.size(), axes_));
      }
      if (!values_.ok()) return finish(block, i);
      if (!interval) elite.entry.low = elite.entry.high = elite.entry.objective;
      ++totals_.elites;
      stopped_ = !visitor_.elite(std::move(elite), std::move(record));
    }
    return finish(block);
  }

  void read_member(Field field, Elite& elite, AtlasRecord& record) {
    Entry& entry = elite.entry;
    switch (field) {
      case Field::cell:
        elite.cell = values_.integer();
        break;
      case Field::rank:
        elite.rank = values_.integer();
        break;
      case Field::id:
        entry.id = values_.integer();
        break;
      case Field::objective:
        entry.objective = values_.number();
        break;
      case Field::low:
        entry.low = values_.number();
        break;
      case Field::high:
        entry.high = values_.number();
        break;
      case Field::size:
        entry.size = values_.number();
        break;
      case Field::samples:
        entry.samples = values_.integer();
        break;
      case Field::measures:
        read_list(entry.measures);
        break;
      case Field::costs:
        read_list(entry.costs);
        break;
      case Field::key:
        record.key = values_.text();
        break;
      case Field::payload:
        record.payload = read_payload();
        break;
      default:
        values_.skip();
    }
  }

  void read_list(std::vector<double>& list) {
    const std::size_t size = values_.array();
    // As many as an archive may have, not as many as a length claims.
    list.reserve(std::min<std::size_t>(size, 64));
    for (std::size_t i = 0; i < size && values_.ok(); ++i) list.push_back(values_.number());
  }

  Payload read_payload() {
    Payload payload;
    const std::size_t size = values_.map();
    if (size == 0 || !values_.ok()) return payload;
    scratch_.clear();
    Packer packer(scratch_);
    packer.map(size);
    for (std::size_t i = 0; i < size && values_.ok(); ++i) {
      packer.text(values_.text());
      if (values_.peek() == Values::Kind::integer) {
        const std::uint64_t number = values_.integer();
        if (number >= totals_.blobs) values_.fail(fmt::format("there is no blob {} yet", number));
        packer.integer(number);
      } else {
        packer.bytes(values_.text_or_bytes());
      }
    }
    payload.bytes = scratch_;
    return payload;
  }

  Expected<void> read_proposals(const Block& block) {
    const std::size_t size = values_.array();
    for (std::size_t i = 0; i < size && values_.ok() && !stopped_; ++i) {
      AtlasProposal proposal;
      const std::size_t members = values_.array();
      for (std::size_t j = 0; j < members && values_.ok(); ++j) {
        const Field field = j < proposal_fields_.size() ? proposal_fields_[j] : Field::unknown;
        if (field == Field::key) {
          proposal.key = values_.text();
        } else if (field == Field::origin) {
          proposal.origin = values_.text();
        } else if (field == Field::payload) {
          proposal.payload = read_payload();
        } else {
          values_.skip();
        }
      }
      if (values_.ok() && members < proposal_fields_.size()) values_.fail("members are missing");
      if (!values_.ok()) return finish(block, i);
      ++totals_.proposals;
      stopped_ = !visitor_.proposal(std::move(proposal));
    }
    return finish(block);
  }

  Expected<void> read_end(const Block& block) {
    AtlasTotals claimed;
    std::uint64_t blocks = 0;
    const std::size_t pairs = values_.map();
    for (std::size_t i = 0; i < pairs && values_.ok(); ++i) {
      const std::string_view key = values_.text();
      if (key == "blobs") {
        claimed.blobs = values_.integer();
      } else if (key == "elites") {
        claimed.elites = values_.integer();
      } else if (key == "proposals") {
        claimed.proposals = values_.integer();
      } else if (key == "blocks") {
        blocks = values_.integer();
      } else {
        values_.skip();
      }
    }
    if (values_.ok() && (claimed != totals_ || blocks != count_)) {
      values_.fail(fmt::format(
          "it counts {} elites, {} proposals and {} blobs in {} blocks, but there are {}, {}, {} "
          "in {}: blocks are missing",
          claimed.elites, claimed.proposals, claimed.blobs, blocks, totals_.elites,
          totals_.proposals, totals_.blobs, count_));
    }
    ended_ = true;
    return finish(block);
  }

  Expected<void> finish(const Block& block) {
    if (values_.ok()) return {};
    return fail(wrong(block, values_.problem()));
  }
  Expected<void> finish(const Block& block, std::size_t record) {
    return fail(wrong(block, fmt::format("record {}: {}", record, values_.problem())));
  }

  BlockReader blocks_;
  AtlasVisitor& visitor_;
  Values values_;
  AtlasHeader header_;
  std::size_t axes_ = 0;
  std::vector<Field> elite_fields_, proposal_fields_;
  AtlasTotals totals_;
  std::uint64_t count_ = 0;  // blocks
  bool header_told_ = false, stopped_ = false, ended_ = false;
  std::string scratch_;
};

}  // namespace

Expected<AtlasTotals> visit_atlas(ByteSource& source, AtlasVisitor& visitor) {
  return Reader(source, visitor).run();
}

}  // namespace kernatlas::archives
