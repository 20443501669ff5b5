// Simulated boards that behave like their kernels: values are rounded to steps, some write orders fail, files reject
// values, nodes appear late.
#pragma once

#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/clocks/system_files.h"

namespace throng::test {

// Attribute files in memory. A hook is called before each write and may reject or change it.
class FakeFiles : public SystemFiles {
public:
    using Hook = std::function<WriteOutcome(std::string& value)>;

    void set(const std::string& path, const std::string& value) { files_[path] = value; }
    void link(const std::string& path, const std::string& target) { links_[path] = target; }
    void make_read_only(const std::string& path) { read_only_.insert(path); }
    void on_write(const std::string& path, Hook hook) { hooks_[path] = std::move(hook); }
    void remove_below(const std::string& folder);

    [[nodiscard]] std::string text(const std::string& path) const { return read(path).value_or("(missing)"); }
    [[nodiscard]] const std::vector<std::string>& written() const { return written_; }  // "path=value", in order

    [[nodiscard]] const std::map<std::string, std::string>& files() const { return files_; }
    [[nodiscard]] const std::map<std::string, std::string>& links() const { return links_; }

    [[nodiscard]] std::optional<std::string> read(const std::string& path) const override;
    WriteOutcome write(const std::string& path, const std::string& value) override;
    [[nodiscard]] bool exists(const std::string& path) const override;
    [[nodiscard]] std::vector<std::string> list(const std::string& folder) const override;
    [[nodiscard]] std::string resolve(const std::string& path) const override;

private:
    std::map<std::string, std::string> files_;
    std::map<std::string, std::string> links_;
    std::set<std::string> read_only_;
    std::map<std::string, Hook> hooks_;
    std::vector<std::string> written_;
};

struct FakeBoard {
    std::string name;
    std::string soc;
    std::string node;  // the GPU's folder, links resolved
    std::vector<std::int64_t> steps_hz;
    std::function<void(FakeFiles&)> build;  // creates the complete tree

    // Creates only the GPU's node, for boards on which it appears late.
    std::function<void(FakeFiles&)> power_gpu;
};

// For GoogleTest messages.
inline void PrintTo(const FakeBoard& board, std::ostream* out) {
    *out << board.name;
}

// One board per family: TK1, TX1, TX2, Xavier, Orin (JetPack 5, 6 and 7.2), Thor. Thor's GPU has no file of its load. The
// memory has an override on TK1 and on Orin with JetPack 7.2.
[[nodiscard]] const std::vector<FakeBoard>& fake_boards();

}  // namespace throng::test
